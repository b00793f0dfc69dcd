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
  /** A sentence: why this embedder is used, or what is being done about it. */
  readonly embedderReason?: string;
  /** Undefined when no web access is configured. */
  readonly web?: WebFacts;
  /** Path of the data folder. */
  readonly data: string;
  /** The database of the records, where it is not in the data folder. */
  readonly database?: string;
  /** Where the uploaded files are, where they are not in the database. */
  readonly originals?: { readonly place: string; readonly state: 'ready' | 'unavailable' };
  /** The processes on that database, where several can use it. */
  readonly processes?: readonly ClusterMember[];
  readonly index: {
    readonly kind: 'embedded' | 'remote' | 'pgvector' | 'memory';
    readonly state: 'ready' | 'checking' | 'rebuilding' | 'unavailable';
  };
  /** Number of documents whose graph extraction is waiting or has failed. */
  readonly graph?: { readonly waiting: number; readonly failed: number };
  /** Number of documents whose model-written summary is waiting or has failed. */
  readonly summaries?: { readonly waiting: number; readonly failed: number };
  /** What is configured and does not answer, and damage to the store, as sentences; each but the index is a hint too. */
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

/** Limits in bytes, and times in milliseconds where stated. */
export interface HttpLimits {
  /** A JSON body. */
  readonly body: number;
  /** An uploaded file. */
  readonly file: number;
  /** One text field of a multipart body: raw text, or all chunks together. */
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
  /** Folders and sites that documents are kept in step with. */
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
  /** Providers, and the models found on this machine, which is asked each time. */
  modelChoices(): Promise<ModelChoices>;
  readonly embeddings: EmbeddingModel;
  readonly conversations: Conversations;
  readonly accounts: Accounts;
  readonly collections: CollectionRecords;
  readonly prompts: PromptService;
  readonly spaces: Pick<VectorSpaces, 'list'>;
  /** Backups of the data folder; undefined where there is none. */
  readonly backups?: {
    /** Copies the database as it is now; `content` is the archive, of some more than `bytes`. One at a time. */
    begin(
      signal?: AbortSignal,
    ): Promise<{ readonly bytes: number; readonly content: AsyncGenerator<Uint8Array, void> }>;
    /** How many bytes the copy has that `begin` makes, of how many; undefined where none is being made. */
    copying(): Promise<{ readonly done: number; readonly total: number } | undefined>;
  };
  /** Inspection and repair of the vector index in use. */
  readonly maintenance: Pick<IndexMaintenance, 'state' | 'audit'>;
  /** The effective settings. Contains no secrets and no keys. */
  settings(): Metadata;
  /** Re-embeds the corpus or returns to the previous space; searches and ingestion then use the resulting space. */
  reindex(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  status(): Promise<ServiceStatus>;
  /** Undefined where nothing is counted. */
  readonly metrics?: Metrics;
  readonly traces?: Traces;
  /** Whether everybody may read them; otherwise superusers. */
  readonly opensMetrics?: boolean;
  readonly log: HttpLog;
  readonly limits: HttpLimits;
  /** Keeps uploads while they arrive; undefined is a folder of the system. */
  readonly uploadFolder?: string | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted; none when absent. */
  readonly trustedProxies?: readonly string[];
}
