import type { Json, Metadata } from '../documents/document.ts';
import type { WebFacts } from '../web/describe-web.ts';
import type { GraphClient } from './graph-client.ts';
import type { UsersClient } from './users-client.ts';

/** A passage that was found, with what a person needs to look it up. */
export interface Passage {
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
  /** Undefined means what fits the embedder. */
  readonly mode?: SearchMode;
  /** The filter language of the HTTP interface. */
  readonly filters: { readonly [key: string]: Json };
  /** What the documents said at this time (ISO-8601, UTC); undefined means now. */
  readonly asOf?: string;
  readonly explain: boolean;
}

export interface SearchResult {
  readonly passages: readonly Passage[];
  /** How the search was carried out, in the words of the HTTP interface; only when asked for. */
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
  /** Whether the source says what the answer says it does; only agents check it. */
  readonly verdict?: Verdict;
  /** Where its markers stand in the answer. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** What was found of the source; absent for sources without words. */
  readonly text?: string;
  /** Whether it is a document of the corpus, and not of the web or the graph. */
  readonly isOfDocument: boolean;
}

export interface CitedAnswer {
  readonly text: string;
  /** `extractive` when the answer is quotations and no language model wrote it. */
  readonly mode: string;
  readonly model: string;
  readonly citations: readonly CitedSource[];
  /** Markers that pointed to no source, and were taken out. */
  readonly removedMarkers: number;
}

export type AskEvent =
  | { readonly type: 'thinking' | 'text'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: CitedAnswer };

export interface AskQuery extends Omit<SearchQuery, 'offset' | 'explain'> {
  readonly model?: string;
}

export interface AgentQuery extends AskQuery {
  /** `research` plans, asks sub-questions and reviews what it wrote. */
  readonly agentMode: 'rag' | 'research';
  /** Undefined begins a conversation. */
  readonly conversationId?: string;
  /** Whether the model's thinking is wanted. */
  readonly thinking: boolean;
  readonly budget: {
    readonly steps?: number;
    readonly tokens?: number;
    readonly seconds?: number;
    readonly dollars?: number;
  };
}

/** An event of an agent's run as the HTTP interface has it, spec.md 6.2. */
export interface AgentClientEvent {
  readonly event: string;
  readonly data: unknown;
}

/** What was said in a conversation, oldest first. */
export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
}

/** A document as commands show it; member names are those of the HTTP interface, for scripts. */
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

/** A version of a document in the words of the HTTP interface. */
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

/** What a deletion removed, in the words of the HTTP interface; an earlier server tells less. */
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

/** One file or page on its way in. */
export interface IngestItem {
  /** An absolute `file:` or `http(s):` URL; the document's identifier is made from it. */
  readonly source: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly metadata: Metadata;
  /** Names or identifiers; new ones are made. */
  readonly collections: readonly string[];
  /** Have a model place its passages; with nothing said, as it was done before. */
  readonly isEnriched?: boolean;
}

/** What having a model place passages comes to, in the words of the HTTP interface. */
export interface EnrichmentEstimate {
  readonly model: string;
  readonly chunks: number;
  readonly known_chunks: number;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

/** One more document whose summary a model was to write. */
export interface SummaryProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

export type IngestOutcome = 'ingested' | 'replaced' | 'unchanged' | 'duplicate' | 'failed';

export interface IngestResult {
  readonly outcome: IngestOutcome;
  readonly documentId: string | null;
  /** Why it failed. */
  readonly reason?: string;
}

/** What `citewell status` shows. */
export interface Status {
  readonly version: string;
  readonly model: string;
  readonly embedder: string;
  /** Why that one; a server of before does not say. */
  readonly embedder_reason?: string | undefined;
  /** A server of before does not say. */
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
  /** A server of before does not say. */
  readonly ingestion?: Backlog | undefined;
  /** Documents whose graph is still to be extracted; a server of before does not say. */
  readonly graph?: { readonly waiting: number; readonly failed: number } | undefined;
}

/** One's own document of a place outside, and where it stands. */
export interface SourcedDocument {
  readonly id: string;
  readonly source: string;
  readonly contentHash: string;
  readonly status: string;
}

/** How much of what was taken on is still to be done. */
export interface Backlog {
  readonly queued: number;
  /** Of the queued, those that wait for another try. */
  readonly retrying: number;
  readonly running: number;
  readonly failed: number;
  readonly rate_per_second: number;
  readonly eta_seconds: number | null;
}

/**
 * Citewell as a command sees it: in this process, or in the server that already runs on the data folder. Every command
 * is written once against it. Methods throw ServiceError.
 */
export interface Client {
  /** The server's address; undefined in process. */
  readonly server: string | undefined;
  /** A document that cannot be read is an outcome; what would stop every other one too is thrown. */
  ingest(item: IngestItem, signal: AbortSignal): Promise<IngestResult>;
  /** What placing its passages by a model comes to; null when nothing is asked of one. Takes nothing in. */
  estimate(item: IngestItem, signal: AbortSignal): Promise<EnrichmentEstimate | null>;
  /** The document of that source. */
  documentOf(source: string): Promise<SourcedDocument | undefined>;
  /** Documents whose source begins so, in the order of their sources. */
  documentsBelow(query: {
    readonly prefix: string;
    readonly contentHash?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly SourcedDocument[]>;
  /** A document is somewhere else now, with the same content. */
  relocate(id: string, place: { readonly source: string; readonly fileName: string }): Promise<void>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  /** What a model says to a request, without the corpus; the default one unless told. */
  complete(request: { readonly prompt: string; readonly model?: string }, signal: AbortSignal): Promise<string>;
  /** Ends with `answer`. */
  ask(query: AskQuery, signal: AbortSignal): AsyncGenerator<AskEvent, void>;
  /** Ends with `final_answer`. Aborting ends the run; what it had written stays in the conversation. */
  agent(query: AgentQuery, signal: AbortSignal): AsyncGenerator<AgentClientEvent, void>;
  /** Returns the identifier of a new conversation. */
  createConversation(): Promise<string>;
  /** It and all that was said in it. */
  deleteConversation(id: string): Promise<void>;
  conversation(id: string): Promise<readonly ConversationMessage[]>;
  documents(page: {
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly documents: readonly DocumentRecord[]; readonly total: number }>;
  /** As it was at a time, or as it is. */
  document(id: string, asOf?: string): Promise<DocumentRecord>;
  /** In order. */
  chunks(
    documentId: string,
    page: { readonly offset: number; readonly limit: number },
    asOf?: string,
  ): Promise<readonly Passage[]>;
  /** The stretch of a document's extracted text between two offsets, as it was at a time or as it is. */
  text(id: string, stretch: { readonly start: number; readonly end: number }, asOf?: string): Promise<string>;
  deleteDocument(id: string): Promise<DeletionRecord>;
  /** Newest first. */
  versions(
    id: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly versions: readonly VersionRecord[]; readonly total: number }>;
  restoreVersion(id: string, version: string): Promise<DocumentRecord>;
  status(): Promise<Status>;
  /** Queues what failed once more; returns how many. */
  retryFailed(): Promise<number>;
  /** What is left of the queue, which is worked on while one looks. */
  backlog(): Promise<Backlog>;
  /** Re-embeds everything; returns the name of the embedder that is then in use. */
  reindex(
    request: { readonly model?: string; readonly back: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly done: number; readonly total: number }, string>;
  /** Writes the summaries that wait, where no server does it by itself. */
  summarise(signal: AbortSignal): AsyncGenerator<SummaryProgress, void>;
  /**
   * Learns an embedder from the corpus when that is due, and tells how far it is; ends with what is left to a server.
   * A server does it by itself.
   */
  learn(signal: AbortSignal): AsyncGenerator<{ readonly done: number; readonly total: number }, 'nothing' | 'left'>;
  readonly users: UsersClient;
  readonly graph: GraphClient;
  close(): Promise<void>;
}
