import type { Accounts } from '../access/accounts.ts';
import type { Agent } from '../agent/agent.ts';
import type { AnswerChecker } from '../citations/answer-check.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Metadata } from '../documents/document.ts';
import type { ReindexRequest } from '../embeddings/corpus/corpus-embedder.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { GraphService } from '../graph/graph-service.ts';
import type { SummaryService } from '../ingest/enrich/summary-service.ts';
import type { IngestionService } from '../ingest/ingestion-service.ts';
import type { Ingestor } from '../ingest/ingestor.ts';
import type { SourceService } from '../ingest/sources/source-service.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { ModelChoices } from '../models/model-choices.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import type { Answerer } from '../rag/rag-event.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { MadeFiles } from '../runs/made-files.ts';
import type { RunLog } from '../runs/run-log.ts';
import type { Corpus } from '../store/corpus.ts';
import type { DescriptionVectors } from '../store/description-records.ts';
import type { IndexMaintenance } from '../store/index-state.ts';
import type { IngestionQueue } from '../store/ingestion-queue.ts';
import type { ClusterMember } from '../store/other-servers.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { SourceRecords } from '../store/source-records.ts';
import type { ReindexProgress, VectorSpace, VectorSpaces } from '../store/vector-spaces.ts';
import type { DocumentVersions } from '../store/versions.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { WebFacts } from '../web/describe-web.ts';
import type { Web } from '../web/web.ts';

/** What this deployment runs on, for `/health` and `citewell status`. Contains no secrets. */
export interface ServiceStatus {
  readonly version: string;
  /** The default model; `builtin/extractive` without a key. */
  readonly model: string;
  readonly embedder: string;
  /** A sentence that says why this embedder is used, or what is being done about it. */
  readonly embedderReason?: string;
  /** Undefined when no web access is configured. */
  readonly web?: WebFacts;
  /** Path of the data folder. */
  readonly data: string;
  /** Database of the records; undefined if it is in the data folder. */
  readonly database?: string;
  /** External storage of uploaded files; undefined if they are in the database. */
  readonly originals?: { readonly place: string; readonly state: 'ready' | 'unavailable' };
  /** The processes that use the database; undefined unless several can share it. */
  readonly processes?: readonly ClusterMember[];
  readonly index: {
    readonly kind: 'embedded' | 'remote' | 'pgvector' | 'memory';
    readonly state: 'ready' | 'checking' | 'rebuilding' | 'unavailable';
  };
  /** Number of documents whose graph extraction is waiting or has failed. */
  readonly graph?: { readonly waiting: number; readonly failed: number };
  /** Number of documents whose model-written summary is waiting or has failed. */
  readonly summaries?: { readonly waiting: number; readonly failed: number };
  /** Sentences about unavailable services and damage to the store; all but that of the index are also in `hints`. */
  readonly problems: readonly string[];
  /** Suggestions for the operator, e.g. which variable would improve the answers. */
  readonly hints: readonly string[];
}

/** The part of a pino logger used here. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Sizes in bytes, and times in milliseconds. */
export interface HttpLimits {
  /** Maximum size of a JSON body. */
  readonly body: number;
  /** Maximum size of an uploaded file. */
  readonly file: number;
  /** Maximum size of a text field of a multipart body: raw text, or all chunks together. */
  readonly field: number;
  /** Milliseconds of silence in a stream after which a comment keeps the connection alive. */
  readonly heartbeat: number;
  /** Milliseconds a reader of a stream may stay blocked before it is disconnected. */
  readonly stall: number;
  /** Milliseconds a request's body may take to arrive; large bodies that keep arriving get more. */
  readonly request: number;
}

export const defaultHttpLimits: HttpLimits = {
  body: 16_000_000,
  file: 200_000_000,
  field: 64_000_000,
  heartbeat: 15_000,
  stall: 120_000,
  request: 60_000,
};

/** The services the HTTP interface needs. */
export interface HttpServices {
  readonly corpus: Corpus;
  readonly versions: DocumentVersions;
  readonly ingestor: Ingestor;
  /** Documents by source. */
  readonly sources: SourceRecords;
  /** Followed sources: folders, sites and remote sources from which documents are synchronised. */
  readonly followed: SourceService;
  /** Undefined without web access. */
  readonly web?: Pick<Web, 'fetchPage'>;
  /** Tasks of background ingestion. */
  readonly queue: Pick<IngestionQueue, 'get' | 'ofDocument' | 'list' | 'backlog'>;
  /** Background ingestion. */
  readonly ingestions: IngestionService;
  readonly graph: GraphService;
  /** Summaries written by models. */
  readonly summaries?: SummaryService;
  /** Stored vectors of titles and summaries. */
  readonly descriptions?: Pick<DescriptionVectors, 'vectorsOf'>;
  readonly retriever: Retriever;
  readonly answerer: Answerer;
  readonly checker: AnswerChecker;
  readonly agent: Agent;
  /** Resumable streams. */
  readonly runs: RunLog;
  /** Files made by tools. */
  readonly madeFiles: MadeFiles;
  readonly models: ModelRegistry;
  /** Configured providers, and the models found on this machine, which is probed on each call. */
  modelChoices(): Promise<ModelChoices>;
  readonly embeddings: EmbeddingModel;
  readonly conversations: Conversations;
  readonly accounts: Accounts;
  readonly collections: CollectionRecords;
  readonly prompts: PromptService;
  readonly spaces: Pick<VectorSpaces, 'list'>;
  /** Backups of the data folder; undefined without one. */
  readonly backups?: {
    /** Copies the current database; `content` is the archive, slightly longer than `bytes`. One backup at a time. */
    begin(
      signal?: AbortSignal,
    ): Promise<{ readonly bytes: number; readonly content: AsyncGenerator<Uint8Array, void> }>;
    /** Bytes copied so far by `begin`, of the total; undefined if no copy is being made. */
    copying(): Promise<{ readonly done: number; readonly total: number } | undefined>;
  };
  /** Inspection and repair of the vector index in use. */
  readonly maintenance: Pick<IndexMaintenance, 'state' | 'audit'>;
  /** The effective settings. Contains no secrets and no keys. */
  settings(): Metadata;
  /** Re-embeds the corpus or returns to the previous space; searches and ingestion then use the resulting space. */
  reindex(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  /** With `asksServers`, the problems include configured servers of models and searches that do not answer. */
  status(options?: { readonly asksServers?: boolean }): Promise<ServiceStatus>;
  /** Undefined if metrics are off. */
  readonly metrics?: Metrics;
  readonly traces?: Traces;
  /** Whether everybody may read the metrics; otherwise only superusers. */
  readonly opensMetrics?: boolean;
  readonly log: HttpLog;
  readonly limits: HttpLimits;
  /** Maximum size in bytes of a file of any format; if absent, the limits of the formats apply. */
  readonly maxFileBytes?: number | undefined;
  /** Folder for uploads while they are received; undefined means the system's temporary folder. */
  readonly uploadFolder?: string | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted; none when absent. */
  readonly trustedProxies?: readonly string[];
}
