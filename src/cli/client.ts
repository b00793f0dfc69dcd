import type { Json, Metadata } from '../documents/document.ts';
import type { FinishProgress } from '../http/routes/finish.ts';
import type { FolderTarget, IngestItem } from '../ingest/folders/folder-target.ts';
import type { AnswerCheckRecord } from '../toolbox/answer-check-record.ts';
import type { WebFacts } from '../web/describe-web.ts';
import type { GraphClient } from './graph-client.ts';
import type { UsersClient } from './users-client.ts';

/** A search hit with what a person needs to look it up. */
export interface ChunkRecord {
  readonly id: string;
  readonly documentId: string;
  readonly title: string;
  readonly text: string;
  readonly score: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
  /** UTF-16 offsets into the document's extracted text; null for documents without text of their own. */
  readonly start: number | null;
  readonly end: number | null;
  /** The version of the document; absent from older servers. */
  readonly version?: string;
  readonly metadata: Metadata;
  /** Rank and score of each leg, when asked for. */
  readonly explain?: Json;
}

export type SearchMode = 'semantic' | 'full_text' | 'hybrid' | 'advanced';
export const searchModes: readonly SearchMode[] = ['semantic', 'full_text', 'hybrid', 'advanced'];

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  /** Undefined selects the default of the embedder. */
  readonly mode?: SearchMode;
  /** The filter language of the HTTP interface. */
  readonly filters: { readonly [key: string]: Json };
  /** Time (ISO 8601, UTC) of the state to search; undefined means now. */
  readonly asOf?: string;
  readonly explain: boolean;
}

export interface SearchResult {
  readonly chunks: readonly ChunkRecord[];
  /** How the search was carried out, as in the HTTP interface; only on request. */
  /** Notes on the search. */
  readonly notes: readonly string[];
  readonly explanation?: Json;
}

export interface CitedQuote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

export type Verdict = 'verbatim' | 'close' | 'elsewhere' | 'not_found';

export interface CitedSource {
  /** The N of the marker `[N]`. */
  readonly number: number;
  readonly documentId: string;
  readonly title: string;
  readonly quotes: readonly CitedQuote[];
  /** Result of the citation check; only agents check. */
  readonly verdict?: Verdict;
  /** Places of its markers in the answer. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** Text of the source; absent for sources without text. */
  readonly text?: string;
  /** Where the page of the server shows it with its quotes marked. */
  readonly url?: string;
  /** True for documents of the corpus, false for web pages and graph rows. */
  readonly isOfDocument: boolean;
}

export interface CitedAnswer {
  readonly text: string;
  /** `extractive` when the answer consists of quotations and no language model wrote it. */
  readonly mode: string;
  /** Then `answer`, or `closest` when the quotes may not answer, or `none`. */
  readonly support?: string;
  readonly model: string;
  readonly citations: readonly CitedSource[];
  /** Number of removed markers that pointed to no source. */
  readonly removedMarkers: number;
}

export type AskEvent =
  | { readonly type: 'thinking' | 'text'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: CitedAnswer };

export interface AskQuery extends Omit<SearchQuery, 'offset' | 'explain'> {
  readonly model?: string;
}

export interface AgentQuery extends AskQuery {
  /** `research` plans, asks sub-questions and reviews its draft. */
  readonly agentMode: 'rag' | 'research';
  /** Undefined starts a new conversation. */
  readonly conversationId?: string;
  /** Whether to show the model's thinking. */
  readonly thinking: boolean;
  readonly budget: {
    readonly steps?: number;
    readonly tokens?: number;
    readonly seconds?: number;
    readonly dollars?: number;
  };
}

/** An event of an agent's run as the HTTP interface has it, docs/contract.md 5.5. */
export interface AgentClientEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A message of a conversation, oldest first. */
export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
}

/** A document as commands show it; members are named as in the HTTP interface, for scripts. */
export interface DocumentRecord {
  readonly id: string;
  readonly title: string;
  readonly document_type: string;
  readonly ingestion_status: string;
  readonly size_in_bytes: number;
  readonly collection_ids: readonly string[];
  readonly metadata: Metadata;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [member: string]: Json;
}

/** A version of a document, as in the HTTP interface. */
export interface VersionRecord {
  readonly version: string;
  readonly published_at: string;
  readonly replaced_at: string | null;
  readonly title: string;
  readonly size_in_bytes: number;
  readonly chunk_count: number;
  readonly content_hash: string;
  readonly retired: { readonly at: string } | null;
}

/** What a deletion removed, as in the HTTP interface; older servers report less. */
export interface DeletionRecord {
  readonly chunks: number;
  readonly vectors: number;
  readonly full_text_entries: number;
  readonly files: number;
  readonly graph_rows?: number | undefined;
  readonly versions?: number | undefined;
  readonly past_chunks?: number | undefined;
  readonly index?: { readonly removed: number; readonly state: string } | undefined;
  readonly verified?: boolean | 'pending' | undefined;
}

/** Estimated cost of contextual chunk enrichment, as in the HTTP interface. */
export interface EnrichmentEstimate {
  readonly model: string;
  readonly chunks: number;
  readonly known_chunks: number;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

/** What `citewell status` shows. */
export interface Status {
  readonly version: string;
  readonly model: string;
  readonly embedder: string;
  /** Why this embedder; absent from older servers. */
  readonly embedder_reason?: string | undefined;
  /** Absent from older servers. */
  readonly web?: WebFacts | undefined;
  readonly data: string;
  readonly index: { readonly kind: string; readonly state: string };
  readonly hints: readonly string[];
  readonly corpus: {
    readonly documents: number;
    readonly failed: number;
    readonly unfinished: number;
    readonly chunks: number;
    readonly owed_to_index: number;
  };
  /** Absent from older servers. */
  readonly ingestion?: Backlog | undefined;
  /** Documents waiting for graph extraction; absent from older servers. */
  readonly graph?: { readonly waiting: number; readonly failed: number } | undefined;
}

/** The state of the ingestion queue. */
export interface Backlog {
  readonly queued: number;
  /** Queued documents that wait for another attempt. */
  readonly retrying: number;
  readonly running: number;
  readonly failed: number;
  readonly rate_per_second: number;
  readonly eta_seconds: number | null;
}

/** Citewell as commands use it, whichever process holds the data folder. Methods throw ServiceError. */
export interface Client extends FolderTarget {
  /** Where the web page is served; undefined when no server runs. */
  readonly page: string | undefined;
  /** Estimated cost of enriching the item's chunks; null when no model is used. Ingests nothing. */
  estimate(item: IngestItem, signal: AbortSignal): Promise<EnrichmentEstimate | null>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  /** Which statements of an answer the documents support; the request is that of the HTTP interface. */
  check(request: { readonly [member: string]: Json }, signal: AbortSignal): Promise<AnswerCheckRecord>;
  /** A model's reply to a prompt, without the corpus; default model unless given. */
  complete(request: { readonly prompt: string; readonly model?: string }, signal: AbortSignal): Promise<string>;
  /** Ends with `answer`. */
  ask(query: AskQuery, signal: AbortSignal): AsyncGenerator<AskEvent, void>;
  /** Ends with `final_answer`. Aborting ends the run; what it had written stays in the conversation. */
  agent(query: AgentQuery, signal: AbortSignal): AsyncGenerator<AgentClientEvent, void>;
  /** Returns the identifier of a new conversation. */
  createConversation(): Promise<string>;
  /** Deletes the conversation with its messages. */
  deleteConversation(id: string): Promise<void>;
  conversation(id: string): Promise<readonly ConversationMessage[]>;
  documents(page: {
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly documents: readonly DocumentRecord[]; readonly total: number }>;
  /** The document as of a time, or now. */
  document(id: string, asOf?: string): Promise<DocumentRecord>;
  /** In order. */
  chunks(
    documentId: string,
    page: { readonly offset: number; readonly limit: number },
    asOf?: string,
  ): Promise<readonly ChunkRecord[]>;
  /** Part of a document's extracted text, as of a time or now. */
  text(id: string, range: { readonly start: number; readonly end: number }, asOf?: string): Promise<string>;
  deleteDocument(id: string): Promise<DeletionRecord>;
  /** Newest first. */
  versions(
    id: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly versions: readonly VersionRecord[]; readonly total: number }>;
  restoreVersion(id: string, version: string): Promise<DocumentRecord>;
  status(): Promise<Status>;
  /** Queues failed documents again; returns their number. */
  retryFailed(): Promise<number>;
  /** State of the queue. */
  backlog(): Promise<Backlog>;
  /** Re-embeds everything; returns the name of the embedder then in use. */
  reindex(
    request: { readonly model?: string; readonly back: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly done: number; readonly total: number }, string>;
  /** Writes waiting summaries when no lasting server does. */
  summarise(signal: AbortSignal): AsyncGenerator<FinishProgress, void>;
  /**
   * Learns an embedder from the corpus when due, reporting progress; ends with what is left to a server. A lasting
   * server learns by itself.
   */
  learn(signal: AbortSignal): AsyncGenerator<{ readonly done: number; readonly total: number }, 'nothing' | 'left'>;
  readonly users: UsersClient;
  readonly graph: GraphClient;
  close(): Promise<void>;
}
