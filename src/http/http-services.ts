import type { Accounts } from '../access/accounts.ts';
import type { Agent } from '../agent/agent.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Metadata } from '../documents/document.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { GraphDesk } from '../graph/graph-desk.ts';
import type { SummaryDesk } from '../ingest/enrich/summary-desk.ts';
import type { IngestionDesk } from '../ingest/ingestion-desk.ts';
import type { Ingestor } from '../ingest/ingestor.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { PromptBook } from '../prompts/prompt-book.ts';
import type { Answerer } from '../rag/rag-event.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { RunLog } from '../runs/run-log.ts';
import type { Corpus } from '../store/corpus.ts';
import type { DescriptionVectors } from '../store/description-records.ts';
import type { IndexState } from '../store/index-state.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { SourceRecords } from '../store/source-records.ts';
import type { ReindexProgress, VectorSpace } from '../store/vector-spaces.ts';
import type { DocumentVersions } from '../store/versions.ts';
import type { WebFacts } from '../web/describe-web.ts';

/** What this deployment runs on, for `/health` and `citewell status`. No secret and no key may be in it. */
export interface ServiceStatus {
  readonly version: string;
  /** The model that answers when a request names none; `builtin/extractive` with no key. */
  readonly model: string;
  readonly embedder: string;
  /** Why that one, or what is being done about it: a sentence. */
  readonly embedderReason?: string;
  /** Undefined where nothing reaches the web. */
  readonly web?: WebFacts;
  /** The data folder. */
  readonly data: string;
  readonly index: {
    readonly kind: 'embedded' | 'remote' | 'memory';
    readonly state: 'ready' | 'checking' | 'rebuilding' | 'unavailable';
  };
  /** Documents whose graph is still to be extracted, and those where that failed. */
  readonly graph?: { readonly waiting: number; readonly failed: number };
  /** Documents whose summary a model is still to write, and those where it could not. */
  readonly summaries?: { readonly waiting: number; readonly failed: number };
  /** Things worth telling a person, e.g. which variable would improve the answers. */
  readonly hints: readonly string[];
}

/** The vector indexes, as far as they can be looked at and mended. */
export interface IndexDesk {
  list(): Promise<readonly VectorSpace[]>;
  /** Of the one that is searched. */
  state(): IndexState;
  /** Compares the one that is searched with the records, and mends it. */
  audit(): Promise<void>;
}

export interface ReindexRequest {
  /** Provider-qualified embedder; undefined means the configured one. */
  readonly model?: string;
  /** Return to the previous space instead. */
  readonly back: boolean;
}

/** The part of a pino logger that is used here. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** In bytes. */
export interface HttpLimits {
  /** A JSON body. */
  readonly body: number;
  /** An uploaded file. */
  readonly file: number;
  /** One text field of a multipart body: raw text, or all chunks together. */
  readonly field: number;
  /** Milliseconds of silence in a stream after which a comment keeps the connection alive. */
  readonly heartbeat: number;
  /** Milliseconds a reader of a stream may refuse to take anything before it is cut off. */
  readonly stall: number;
}

export const defaultHttpLimits: HttpLimits = {
  body: 16_000_000,
  file: 100_000_000,
  field: 64_000_000,
  heartbeat: 15_000,
  stall: 120_000,
};

/** What the HTTP face stands on. */
export interface HttpServices {
  readonly corpus: Corpus;
  readonly versions: DocumentVersions;
  readonly ingestor: Ingestor;
  /** Documents by where they came from. */
  readonly sources: SourceRecords;
  /** Ingestions that go on in the background. */
  readonly ingestions: IngestionDesk;
  readonly graph: GraphDesk;
  /** Summaries that models write. */
  readonly summaries?: SummaryDesk;
  /** Vectors of what documents are described by, as far as they are kept. */
  readonly descriptions?: Pick<DescriptionVectors, 'vectorsOf'>;
  readonly retriever: Retriever;
  readonly answerer: Answerer;
  readonly agent: Agent;
  /** Streams that can be taken up again. */
  readonly runs: RunLog;
  readonly models: ModelRegistry;
  readonly embeddings: EmbeddingModel;
  readonly conversations: Conversations;
  readonly accounts: Accounts;
  readonly collections: CollectionRecords;
  readonly prompts: PromptBook;
  readonly indices: IndexDesk;
  /** What the deployment was told and what it chose by itself. No secret and no key may be in it. */
  settings(): Metadata;
  /** Re-embeds the corpus, or goes back; afterwards searches and ingestion use the space that came out. */
  reindex(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  status(): Promise<ServiceStatus>;
  readonly log: HttpLog;
  readonly limits: HttpLimits;
}
