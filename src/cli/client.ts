import type { Json } from '../documents/document.ts';
import type { FinishProgress } from '../http/routes/finish.ts';
import type { FolderTarget, IngestItem } from '../ingest/folders/folder-target.ts';
import type { ReindexProgress } from '../store/vector-spaces.ts';
import type { AnswerCheckRecord } from '../toolbox/answer-check-record.ts';
import type { DocumentProgress } from './document-progress.ts';
import type {
  Backlog,
  ChunkRecord,
  CitedAnswer,
  DeletionRecord,
  DocumentRecord,
  EnrichmentEstimate,
  SearchResult,
  Status,
  VersionRecord,
} from './from-wire.ts';
import type { GraphClient } from './graph-client.ts';
import type { SearchQuery } from './search-query.ts';
import type { SourcesClient } from './sources-client.ts';
import type { UsersClient } from './users-client.ts';

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

/** An event of an agent run as sent over HTTP, docs/contract.md 5.5. */
export interface AgentClientEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A message of a conversation, oldest first. */
export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
}

/** Citewell as commands use it, independent of which process holds the data folder. Methods throw ServiceError. */
export interface Client extends FolderTarget {
  /** Ingests an item. `onProgress` is called for documents that take long. */
  ingest(
    item: IngestItem,
    signal: AbortSignal,
    onProgress?: (progress: DocumentProgress) => void,
  ): ReturnType<FolderTarget['ingest']>;
  /** Where the web page is served; undefined when no server runs. */
  readonly page: string | undefined;
  /** Estimated cost of enriching the item's chunks; null when no model is used. Ingests nothing. */
  estimate(item: IngestItem, signal: AbortSignal): Promise<EnrichmentEstimate | null>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  /** Checks which statements of an answer the documents support; the request has the members of the HTTP API. */
  check(request: { readonly [member: string]: Json }, signal: AbortSignal): Promise<AnswerCheckRecord>;
  /** A model's reply to a prompt, without the corpus. Uses the default model unless one is given. */
  complete(request: { readonly prompt: string; readonly model?: string }, signal: AbortSignal): Promise<string>;
  /** Ends with `answer`. */
  ask(query: AskQuery, signal: AbortSignal): AsyncGenerator<AskEvent, void>;
  /** Ends with `final_answer`. Aborting ends the run; its partial answer is kept in the conversation. */
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
  /** In document order. */
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
  ): AsyncGenerator<ReindexProgress, string>;
  /** The data folder as a tar archive, slightly larger than `bytes`. Read its content to the end or return it. */
  backup(
    signal: AbortSignal,
    onCopying: (bytes: { readonly done: number; readonly total: number }) => void,
  ): Promise<{ readonly bytes: number; readonly content: AsyncGenerator<Uint8Array, void> }>;
  /** Writes pending summaries, unless a lasting server does. */
  summarise(signal: AbortSignal): AsyncGenerator<FinishProgress, void>;
  /**
   * Trains the embedder from the corpus if that is due, and reports progress. Returns `left` if the training is left to
   * a lasting server, which trains without being asked.
   */
  learn(signal: AbortSignal): AsyncGenerator<ReindexProgress, 'nothing' | 'left'>;
  readonly users: UsersClient;
  readonly graph: GraphClient;
  readonly sources: SourcesClient;
  close(): Promise<void>;
}
