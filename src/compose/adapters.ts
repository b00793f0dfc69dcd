import type { AgentParts } from '../agent/prepare-run.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Metadata } from '../documents/document.ts';
import type { Embedders } from '../embeddings/embedders.ts';
import type { GraphThread } from '../graph/graph-thread.ts';
import type { HttpLog, HttpServices } from '../http/http-services.ts';
import type { DocumentReaders } from '../ingest/document-readers.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { ModelChoices } from '../models/model-choices.ts';
import type { Reranker } from '../retrieval/rerank.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { McpServers } from '../sources/mcp/mcp-servers.ts';
import type { SecretBox } from '../store/secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import type { VectorIndex } from '../store/vector-index.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { ExternalTools } from '../toolbox/external-tools.ts';
import type { WebFacts } from '../web/describe-web.ts';
import type { Web } from '../web/web.ts';
import type { Settings } from './settings.ts';

/**
 * All adapters the product depends on. `openAdapters` opens those that the configuration selects; any of them can be
 * replaced before `compose`.
 */
export interface Adapters {
  readonly store: Store;
  /** Backups of the data folder; undefined if backups are not supported. */
  readonly backups?: HttpServices['backups'];
  /** The vector index that the store keeps up to date. */
  readonly index: Pick<VectorIndex, 'isHealthy' | 'isStarting'>;
  readonly embedders: Embedders;
  readonly models: ModelRegistry;
  /** A reranker, or the name of the language model that reranks. */
  readonly reranker?: Reranker | { readonly model: string } | undefined;
  readonly readers: DocumentReaders;
  readonly graphThread: GraphThread;
  readonly analyser: TextAnalyser;
  readonly web?: Web | undefined;
  /** Undefined if Python cannot be run. */
  readonly sandbox?: Sandbox | undefined;
  /** Tools of external MCP servers, offered to the agent in both modes. */
  readonly external: ExternalTools;
  /** External MCP servers whose resources may be followed; undefined without any. */
  readonly mcpResources?: McpServers | undefined;
  /** The tools of each mode; the product's own by default. */
  readonly tools?: Pick<AgentParts, 'tools' | 'toolNames'>;
  /** Counts requests, searches and calls; nothing is counted without it. */
  readonly metrics?: Metrics | undefined;
  /** Records requests, searches, calls and ingestions as spans; nothing is recorded without it. */
  readonly traces?: Traces | undefined;
  /** Encrypts stored credentials; undefined if none can be stored. */
  readonly secrets?: SecretBox | undefined;
  readonly deployment: Deployment;
  readonly log: HttpLog;
  readonly settings: Settings;
  /** Closes all of them, the last opened first. `Services.close` calls it. */
  close(): Promise<void>;
}

/** Describes a deployment for `/health`, `/v3/system` and `citewell status`. Contains no secrets. */
export interface Deployment {
  readonly version: string;
  /** Path of the data folder. */
  readonly data: string;
  /** The database of the records, without its password; absent if it is in the data folder. */
  readonly database?: string;
  readonly index: 'embedded' | 'remote' | 'pgvector' | 'memory';
  readonly web?: WebFacts;
  /** Providers, and the models found on this machine; absent if models are not configured through providers. */
  modelChoices?(): Promise<ModelChoices>;
  /** The effective settings by group. */
  settings(inUse: InUse): Metadata;
  /** Configured servers of models and searches that do not answer, one sentence each; asks them. */
  silentServers?(): Promise<readonly string[]>;
  /** Suggestions for the operator. */
  hints(inUse: InUse & { readonly hasIndex: boolean }): readonly string[];
}

/** The models and the embedder in use. */
export interface InUse {
  readonly models: Pick<ModelRegistry, 'defaultName'>;
  readonly embedder: { readonly name: string; readonly isLexical: boolean; readonly isLearned?: boolean };
}
