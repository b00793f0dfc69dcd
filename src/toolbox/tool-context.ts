import type { AnswerCheck, AnswerCheckRequest } from '../citations/answer-check.ts';
import type { Verdict } from '../citations/check-citation.ts';
import type { Quote, Source } from '../citations/citation.ts';
import type { CitedPlace } from '../citations/session-citations.ts';
import type { Chunk } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { Message } from '../models/message.ts';
import type { Model, QuoteSupport, Usage } from '../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { DocumentQuery, ExtractedText, FoundDocument, Page, Paged } from '../store/corpus.ts';
import type { FetchedPage, FetchOptions } from '../web/page-fetcher.ts';
import type { WebPages } from '../web/web-pages.ts';
import type { WebSearch } from '../web/web-search.ts';
import type { AbsentTool, CorpusFacts, FolderSync, FollowedFolder, Intake, ResearchService } from './tool-ports.ts';

/** The reading side of the corpus, as tools need it. Every query goes through the context's `visible` filter. */
export interface Library {
  list(filter: Filter, page: Page): Promise<Paged<Document>>;
  textOf(id: string): Promise<ExtractedText | undefined>;
  chunksOf(id: string, page: Page): Promise<Paged<Chunk>>;
  /** Visible chunks with these ids, in no particular order. */
  chunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  searchDocuments(query: DocumentQuery): Promise<Paged<FoundDocument>>;
  /** The same as it could be seen at a time (ISO-8601, UTC); absent where only the present can be read. */
  at?(asOf: string): Library;
}

/** An answer with its sources, as the `rag` tool passes it on. */
export interface SubAnswer {
  readonly text: string;
  /** Sources by the number of the marker that stands for them in `text`. */
  readonly sources: ReadonlyMap<number, Source>;
  /** What backs it of each source, and how well, by the same numbers; absent where that was not looked at. */
  readonly backing?: ReadonlyMap<number, { readonly verdict?: Verdict; readonly quotes: readonly Quote[] }>;
  /** Statements that no source supports. */
  readonly unsupported?: readonly string[];
  /** Of quotations put together without a language model: `closest` when they may not answer. */
  readonly support?: QuoteSupport;
  readonly model: string;
  readonly usage: Usage;
  /** True when words of strangers went into it. */
  readonly isUntrusted: boolean;
}

/** What a call may use: ports and the limits of the request it belongs to. */
export interface ToolContext {
  readonly retriever: Retriever;
  readonly library: Library;
  /** The request's search settings; its filter already holds the caller's access. */
  readonly settings: SearchSettings;
  /** Which documents this caller and request may see; the same as `settings.filter`. */
  readonly visible: Filter;
  /** Number under which the model may cite this source; the same source keeps its number for the whole run. */
  cite(source: Source): number;
  /** Where the source stands that this run or session gave that number; undefined when it gave it to none. */
  cited?(number: number): CitedPlace | undefined;
  /** The words its own model calls are asked with; as the program brings them when absent. */
  readonly prompts?: PromptTexts;
  /** Present when the `reasoner` need is met. */
  readonly reasoner?: Model;
  /** Present when the `answerer` need is met: the RAG agent on a question of its own. */
  ask?(question: string, signal: AbortSignal): Promise<SubAnswer>;
  /** Present when the `checker` need is met: compares an answer with what the caller may see. */
  checkAnswer?(request: AnswerCheckRequest, signal: AbortSignal): Promise<AnswerCheck>;
  /** Present when the `web_search` need is met. */
  readonly webSearch?: WebSearch;
  /** Present when the `web_pages` need is met. */
  readonly webPages?: WebPages;
  /** One page or file of the web as it is, under this service's rules on addresses. */
  fetchPage?(address: string, options: FetchOptions): Promise<FetchedPage>;
  /** Whether this run may contact an address that a page led to; without it, every address the service allows. */
  mayContact?(url: URL): boolean;
  /** Present when the `sandbox` need is met. */
  readonly sandbox?: Sandbox;
  /** Identifier of the user the call is for: what is kept between calls outside of a conversation is theirs alone. */
  readonly caller?: string;
  /** The one client over pipes that this process serves, where the call came from it. */
  readonly connection?: string;
  /** The conversation the call belongs to, if it belongs to one. */
  readonly conversationId?: string;
  /** Present when the `intake` need is met. */
  readonly intake?: Intake;
  /** Absolute; files below may be read for the caller. Present when the `folders` need is met. */
  readonly folders?: readonly string[];
  /** Present when the `folders` need is met. */
  readonly folderSync?: FolderSync;
  /** Folders that the caller's process keeps in step. */
  readonly followed?: readonly FollowedFolder[];
  /** Identifier of the caller's collection of that name. Throws `not_found`. */
  collectionNamed?(name: string): Promise<string>;
  /** Present when the `research` need is met. */
  readonly research?: ResearchService;
  /** Present when the `facts` need is met. */
  facts?(): Promise<CorpusFacts>;
  /** Tools of the catalogue that this caller does not have. */
  readonly absentTools?: readonly AbsentTool[];
  /** Tells a waiting caller how far it has come; `done` rises. */
  progress?(message: string, done?: number, total?: number): void;
  /** The conversation so far, oldest first. */
  readonly transcript: readonly Message[];
  /** Longest text of one result, in characters; what is cut must say how to get the rest. */
  readonly maxCharacters: number;
  /** Counts what a tool's own model calls cost. */
  spend(model: string, usage: Usage): void;
  readonly signal: AbortSignal;
}

export const promptsOf = ({ prompts }: ToolContext): PromptTexts => prompts ?? builtInPrompts;
