import type { AnswerCheck, AnswerCheckRequest } from '../citations/answer-check.ts';
import type { Quote, Source } from '../citations/citation.ts';
import type { CitedPlace } from '../citations/session-citations.ts';
import type { Verdict } from '../citations/verdict.ts';
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
import type { OutputFile } from './tool.ts';
import type {
  AbsentTool,
  CorpusFacts,
  FolderSync,
  FollowedFolder,
  ResearchService,
  ToolIngestion,
} from './tool-ports.ts';

/** Read access to the corpus for tools. Every query is restricted by the context's `visible` filter. */
export interface Library {
  list(filter: Filter, page: Page): Promise<Paged<Document>>;
  textOf(id: string): Promise<ExtractedText | undefined>;
  /** The original file; undefined if it is not stored. */
  bytesOf(id: string): Promise<Uint8Array | undefined>;
  chunksOf(id: string, page: Page): Promise<Paged<Chunk>>;
  /** Visible chunks with these ids, in no particular order. */
  chunksById(ids: readonly string[]): Promise<readonly Chunk[]>;
  searchDocuments(query: DocumentQuery): Promise<Paged<FoundDocument>>;
  /** The library as of a time (ISO-8601, UTC); absent when past versions cannot be read. */
  at?(asOf: string): Library;
}

/** An answer with its sources, as passed on by the `rag` tool. */
export interface SubAnswer {
  readonly text: string;
  /** Sources by their marker number in `text`. */
  readonly sources: ReadonlyMap<number, Source>;
  /** Verdict and quotes of each source, by the same numbers; absent when citations were not checked. */
  readonly evidence?: ReadonlyMap<number, { readonly verdict?: Verdict; readonly quotes: readonly Quote[] }>;
  /** Statements that no source supports. */
  readonly unsupported?: readonly string[];
  /** Extractive answers only: `closest` if the quotations may not answer the question. */
  readonly support?: QuoteSupport;
  readonly model: string;
  readonly usage: Usage;
  /** True when untrusted content contributed to it. */
  readonly isUntrusted: boolean;
}

/** Runs the work of a tool inside a trace span and returns its result. */
export type TraceTool = <Result>(tool: string, work: () => Promise<Result>) => Promise<Result>;

/** Ports and limits available to a tool call. */
export interface ToolContext {
  /** Instruments the execution of tools; without it, they run without tracing. */
  readonly traceTool?: TraceTool | undefined;
  /** Receives failures inside a tool that are not meant for its caller. */
  readonly report?: ((message: string, cause: unknown) => void) | undefined;
  readonly retriever: Retriever;
  readonly library: Library;
  /** Search settings of the request; the filter already includes the caller's access rights. */
  readonly settings: SearchSettings;
  /** Documents visible to this request; the same as `settings.filter`. */
  readonly visible: Filter;
  /** Number under which the model may cite a source; constant for the whole run. */
  cite(source: Source): number;
  /** Position of the source with this number in this run or session; undefined for unknown numbers. */
  cited?(number: number): CitedPlace | undefined;
  /** Texts of the sources this run has found so far; without it, results do not omit what was already shown. */
  shownTexts?(): readonly string[];
  /** Prompts for the tool's own model calls; the built-in ones by default. */
  readonly prompts?: PromptTexts;
  /** Present when the `reasoner` need is met. */
  readonly reasoner?: Model;
  /** Present when the `answerer` need is met: asks the RAG agent a sub-question about what `scope` leaves visible. */
  ask?(question: string, scope: Filter, signal: AbortSignal): Promise<SubAnswer>;
  /** Present when the `checker` need is met: checks an answer against what the caller may see. */
  checkAnswer?(request: AnswerCheckRequest, signal: AbortSignal): Promise<AnswerCheck>;
  /** Present when the `web_search` need is met. */
  readonly webSearch?: WebSearch;
  /** Present when the `web_pages` need is met. */
  readonly webPages?: WebPages;
  /** Fetches one web page or file unchanged, subject to the crawl policy and address rules. */
  fetchPage?(address: string, options: FetchOptions): Promise<FetchedPage>;
  /** Whether this run may contact a URL reached indirectly, such as a redirect target; if absent, there is no limit. */
  mayContact?(url: URL): boolean;
  /** Present when the `sandbox` need is met. */
  readonly sandbox?: Sandbox;
  /** Keeps files for a limited time, for the caller alone; returns the id of the run under which they can be read. */
  keepFiles?(files: readonly (OutputFile & { readonly bytes: Uint8Array })[]): Promise<string>;
  /** User id of the caller; state kept between calls outside of a conversation belongs to this user. */
  readonly caller?: string;
  /** Identifies the stdio client, for calls that come from one. */
  readonly connection?: string;
  /** Origin of the web page for this caller, e.g. `http://127.0.0.1:7272`; absent if no server serves the page. */
  readonly pageOrigin?: string;
  /** Conversation of the call, if any. */
  readonly conversationId?: string;
  /** Present when the `ingestion` need is met. */
  readonly ingestion?: ToolIngestion;
  /** Absolute paths of the folders the caller may read. Present when the `folders` need is met. */
  readonly folders?: readonly string[];
  /** Present when the `folders` need is met. */
  readonly folderSync?: FolderSync;
  /** Folders watched by the caller's process. */
  readonly followed?: readonly FollowedFolder[];
  /** Id of the caller's collection with this name. Throws `not_found`. */
  collectionNamed?(name: string): Promise<string>;
  /** Present when the `research` need is met. */
  readonly research?: ResearchService;
  /** Present when the `facts` need is met. */
  facts?(): Promise<CorpusFacts>;
  /** Catalogue tools that are unavailable to this caller. */
  readonly absentTools?: readonly AbsentTool[];
  /** Reports progress to a waiting caller; `done` increases monotonically. */
  progress?(message: string, done?: number, total?: number): void;
  /** The conversation so far, oldest first. */
  readonly transcript: readonly Message[];
  /** Maximum length of one result in characters; a cut result must say how to get the rest. */
  readonly maxCharacters: number;
  /** Whether searches shorten later passages to excerpts, to save tokens; the model can read on with another call. */
  readonly usesExcerpts?: boolean;
  /** Counts the usage of a tool's own model calls. */
  spend(model: string, usage: Usage): void;
  readonly signal: AbortSignal;
}

export const promptsOf = ({ prompts }: ToolContext): PromptTexts => prompts ?? builtInPrompts;
