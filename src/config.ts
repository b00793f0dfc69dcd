import { resolve } from 'node:path';
import type { z } from 'zod';
import { type AccessConfig, accessConfig, accessIssues } from './access/access-settings.ts';
import { chromaConfig, chromaIssues, type RemoteChromaConfig } from './config/chroma.ts';
import { type ClusterConfig, clusterIssues, clusterSettings } from './config/cluster.ts';
import { externalServers } from './config/external-servers.ts';
import { type ConfigSources, gatherVariables } from './config/gather-variables.ts';
import { issue } from './config/issue.ts';
import { localServers } from './config/local-servers.ts';
import { type NamedProviderConfig, namedProviders } from './config/named-providers.ts';
import { type OriginalsConfig, originalsConfig, originalsIssues } from './config/originals.ts';
import { sandboxIssues, sandboxSettings } from './config/sandbox.ts';
import { otlpSettings } from './config/traces.ts';
import { unknownVariables } from './config/unknown-variables.ts';
import { type LogLevel, variables } from './config/variables.ts';
import { warningsFor } from './config/warnings.ts';
import { webSettings } from './config/web.ts';
import { type FieldIssue, ServiceError } from './errors.ts';
import type { ExternalServer } from './mcp/external-servers.ts';
import type { LocalServer } from './models/local-servers.ts';
import type { PriceTable } from './models/prices.ts';
import type { SandboxSettings } from './sandbox/sandbox-settings.ts';
import { withoutFinalSlashes } from './shared/text.ts';
import type { OtlpSettings } from './telemetry/otlp-settings.ts';
import { userCacheFolder } from './user-cache.ts';
import type { WebSettings } from './web/web-settings.ts';

/** Access to one model provider. */
export interface ProviderConfig {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

/** The validated configuration. Only `loadConfig` reads the environment. */
export interface Config {
  /** Absolute path. */
  readonly dataDir: string;
  /** This user's cache folder for native modules, models and snapshots; undefined without a home folder. */
  readonly cacheDir: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly access: AccessConfig;
  /** `postgres://…` with its password; undefined means SQLite in the data folder. */
  readonly databaseUrl?: string;
  /** Whether a server migrates the database schema when it starts, or only `citewell database migrate` does. */
  readonly databaseMigrate: 'start' | 'off';
  /** `pgvector` requires `databaseUrl`. */
  readonly vectorIndex: 'chroma' | 'pgvector';
  readonly cluster: ClusterConfig;
  readonly originals: OriginalsConfig;
  /** Undefined means embedded Chroma. */
  readonly chroma?: RemoteChromaConfig;
  readonly openai: ProviderConfig;
  readonly anthropic: ProviderConfig;
  readonly ollama: { readonly baseUrl?: string };
  readonly providers: readonly NamedProviderConfig[];
  /** Model servers on this machine that are probed for models. */
  readonly localServers: readonly LocalServer[];
  /** Whether requests may name the models of `localServers` without further settings. */
  readonly usesLocalServers: boolean;
  /** Provider-qualified names; `quality` may also be `auto`. Undefined ones are chosen by the configured keys. */
  readonly models: {
    readonly quality?: string;
    readonly fast?: string;
    readonly reasoning?: string;
    readonly fallback?: string;
  };
  /** Maximum number of concurrent streams per model provider. */
  readonly modelStreams: number;
  /** Models without tool calling; tools are described to them in the prompt. */
  readonly textTools: readonly string[];
  readonly embeddingModel?: string;
  /** Base address from which local models are downloaded, without a slash at the end. */
  readonly modelHub: string;
  /** Reranker of search results; undefined for none. */
  readonly reranker?: {
    readonly name: string;
    readonly cohere: ProviderConfig;
    readonly jina: ProviderConfig;
    readonly tei: ProviderConfig;
  };
  /** US dollars per million tokens; overrides the built-in table. */
  readonly prices: PriceTable;
  /** Who may read a server's `/metrics`: superusers, everybody, or nobody; `off` also records nothing. */
  readonly metrics: 'admin' | 'open' | 'off';
  /** Where traces are exported; undefined records none. */
  readonly traces?: OtlpSettings;
  /** Whether uploads are ingested before the response is sent, or queued. */
  readonly ingest: 'inline' | 'queue';
  /** The model that transcribes recordings; undefined disables transcription. */
  readonly transcriber?: string;
  /** `reader` is `off`, `tesseract`, or a qualified model name. */
  readonly images: { readonly reader: string; readonly languages: string; readonly dataFolder?: string };
  /** Whether graphs are extracted automatically, and by which model; undefined means the rule-based extractor. */
  readonly graph: { readonly isAutomatic: boolean; readonly model?: string };
  /** Who writes summaries if a language model is configured: the model, or extractive summarisation. */
  readonly summaries: 'model' | 'extract';
  /** Context window of the models in tokens; limits passages, and longer conversations are summarised. */
  readonly contextTokens: number;
  /** Number of earlier versions stored per document. */
  readonly versionsKept: number;
  /** Size limit in bytes for files of any format; undefined applies the limit of each format. */
  readonly maxFileBytes?: number;
  /** Seconds that a run continues after its reader has disconnected, so that it can be resumed. */
  readonly resumeSeconds: number;
  readonly web: WebSettings;
  readonly sandbox: SandboxSettings;
  /** Actions that remain allowed in a run after it has read untrusted text. */
  readonly afterUntrusted: readonly ('code' | 'addresses' | 'actions')[];
  /** External MCP servers whose tools the agent may use. */
  readonly externalServers: readonly ExternalServer[];
  /** Addresses and networks of proxies trusted for the client address. */
  readonly trustedProxies: readonly string[];
  /** Time limit for receiving a request body in seconds; large bodies get more as long as data arrives. */
  readonly requestSeconds: number;
  /** Host names under which the server may be called besides those of this machine, and allowed origins (CORS). */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Folders that `citewell mcp` ingests and watches; absolute paths. */
  readonly folders: readonly string[];
  /** Folders below which superusers may add watched folders over HTTP; absolute paths. */
  readonly allowedFolders: readonly string[];
  /** Key that encrypts the stored credentials of sources. */
  readonly secretKey?: string;
  /** Toolsets for MCP clients; undefined means the default. */
  readonly mcpToolsets?: readonly string[];
  readonly logLevel: LogLevel;
  /** Whether the environment names a display, on which a browser can open under Linux. */
  readonly hasDisplay: boolean;
  /** Messages about settings that have no effect. */
  readonly warnings: readonly string[];
}

/** Reads and validates the configuration. Throws one ServiceError('invalid_field') listing all invalid variables. */
export function loadConfig(surroundings: ConfigSources = {}): Config {
  const { env = process.env, cwd = process.cwd() } = surroundings;
  const { set, warnings } = gatherVariables({ ...surroundings, env, cwd });
  const { value, providers, servers } = validated(set, cwd);
  const chroma = chromaConfig(value);
  return {
    dataDir: resolve(cwd, value.CITEWELL_DATA_DIR),
    cacheDir: userCacheFolder(env),
    host: value.CITEWELL_HOST,
    port: value.CITEWELL_PORT,
    access: accessConfig(value),
    databaseMigrate: value.CITEWELL_DATABASE_MIGRATE,
    ...(value.CITEWELL_DATABASE_URL && { databaseUrl: value.CITEWELL_DATABASE_URL }),
    vectorIndex: value.CITEWELL_VECTOR_INDEX,
    cluster: clusterSettings(value),
    originals: originalsConfig(value),
    ...(chroma && { chroma }),
    openai: provider(value.OPENAI_API_KEY, value.OPENAI_BASE_URL),
    anthropic: provider(value.ANTHROPIC_API_KEY, value.ANTHROPIC_BASE_URL),
    ollama: provider(undefined, value.OLLAMA_BASE_URL),
    providers,
    localServers: localServers(value, providers),
    // If others may call the service, they may only use model servers that the operator has named.
    usesLocalServers: value.CITEWELL_LOCAL_MODELS !== undefined || accessConfig(value).mode === 'off',
    models: {
      ...(value.CITEWELL_MODEL && { quality: value.CITEWELL_MODEL }),
      ...(value.CITEWELL_FAST_MODEL && { fast: value.CITEWELL_FAST_MODEL }),
      ...(value.CITEWELL_REASONING_MODEL && { reasoning: value.CITEWELL_REASONING_MODEL }),
      ...(value.CITEWELL_FALLBACK_MODEL && { fallback: value.CITEWELL_FALLBACK_MODEL }),
    },
    modelStreams: value.CITEWELL_MODEL_STREAMS,
    textTools: value.CITEWELL_TEXT_TOOLS ?? [],
    ...(value.CITEWELL_EMBEDDING_MODEL && { embeddingModel: value.CITEWELL_EMBEDDING_MODEL }),
    modelHub: withoutFinalSlashes(value.CITEWELL_MODEL_HUB),
    ...(value.CITEWELL_RERANKER && {
      reranker: {
        name: value.CITEWELL_RERANKER,
        cohere: provider(value.COHERE_API_KEY, value.COHERE_BASE_URL),
        jina: provider(value.JINA_API_KEY, value.JINA_BASE_URL),
        tei: provider(value.TEI_API_KEY, value.TEI_BASE_URL),
      },
    }),
    prices: value.CITEWELL_PRICES ?? {},
    ...otlpSettings(value),
    ingest: value.CITEWELL_INGEST,
    graph: {
      isAutomatic: value.CITEWELL_GRAPH === 'on',
      ...(value.CITEWELL_GRAPH_MODEL && { model: value.CITEWELL_GRAPH_MODEL }),
    },
    images: {
      reader: value.CITEWELL_READ_IMAGES,
      languages: value.CITEWELL_OCR_LANGUAGES,
      ...(value.CITEWELL_OCR_DATA && { dataFolder: resolve(cwd, value.CITEWELL_OCR_DATA) }),
    },
    ...(value.CITEWELL_TRANSCRIBER && { transcriber: value.CITEWELL_TRANSCRIBER }),
    summaries: value.CITEWELL_SUMMARIES,
    contextTokens: value.CITEWELL_CONTEXT_TOKENS,
    versionsKept: value.CITEWELL_VERSIONS_KEPT,
    ...(value.CITEWELL_MAX_FILE_MB && { maxFileBytes: value.CITEWELL_MAX_FILE_MB * 1_000_000 }),
    resumeSeconds: value.CITEWELL_RESUME_SECONDS,
    web: webSettings(value, set),
    sandbox: sandboxSettings(value, cwd, set['PATH']),
    afterUntrusted: value.CITEWELL_AFTER_UNTRUSTED ?? [],
    externalServers: servers,
    trustedProxies: value.CITEWELL_TRUSTED_PROXIES ?? [],
    requestSeconds: value.CITEWELL_REQUEST_SECONDS,
    allowedHosts: value.CITEWELL_ALLOWED_HOSTS ?? [],
    allowedOrigins: value.CITEWELL_ALLOWED_ORIGINS ?? [],
    folders: (value.CITEWELL_FOLDERS ?? []).map((folder) => resolve(cwd, folder)),
    allowedFolders: [...(value.CITEWELL_ALLOW_FOLDERS ?? []), ...(value.CITEWELL_FOLDERS ?? [])].map((folder) =>
      resolve(cwd, folder),
    ),
    ...(value.CITEWELL_SECRET_KEY && { secretKey: value.CITEWELL_SECRET_KEY }),
    ...(value.CITEWELL_MCP_TOOLSETS && { mcpToolsets: value.CITEWELL_MCP_TOOLSETS }),
    metrics: value.CITEWELL_METRICS,
    logLevel: value.CITEWELL_LOG_LEVEL,
    hasDisplay: ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => (env[name] ?? '') !== ''),
    warnings: [...warnings, ...warningsFor(set, providers)],
  };
}

/** The values of the variables. Throws ServiceError('invalid_field') listing all that are invalid. */
function validated(set: Readonly<Record<string, string>>, cwd: string) {
  // The schema is used only once, so compiling it (JIT) would take longer than it saves.
  const parsed = variables.safeParse(set, { jitless: true });
  const issues = [...unknownVariables(set)];
  if (!parsed.success) throw configurationError([...issues, ...parsed.error.issues.map(toIssue)]);
  const { data: value } = parsed;
  const providers = namedProviders(value.CITEWELL_PROVIDERS ?? [], set);
  const { servers, complaints } = externalServers(value.CITEWELL_MCP_SERVERS, cwd, set);
  issues.push(
    ...accessIssues(value).map(([name, message]) => issue(name, message)),
    ...sandboxIssues(value),
    ...chromaIssues(value),
    ...clusterIssues(value),
    ...originalsIssues(value),
    ...complaints.map((complaint) => issue('CITEWELL_MCP_SERVERS', complaint)),
  );
  if (issues.length > 0) throw configurationError(issues);
  return { value, providers, servers };
}

function provider(apiKey: string | undefined, baseUrl: string | undefined): ProviderConfig {
  return { ...(apiKey !== undefined && { apiKey }), ...(baseUrl !== undefined && { baseUrl }) };
}

// The value itself is left out of the message: it may be a secret pasted into the wrong variable.
const toIssue = (found: z.core.$ZodIssue): FieldIssue => issue(String(found.path[0]), found.message);

function configurationError(issues: readonly FieldIssue[]): ServiceError {
  const lines = issues.map(({ loc, msg }) => `  ${loc.join('.')}: ${msg}${msg.endsWith('?') ? '' : '.'}`);
  return new ServiceError(
    'invalid_field',
    `The configuration is wrong (environment or a file of variables):\n${lines.join('\n')}\nEvery variable is explained in .env.example.`,
    { issues },
  );
}

/** Reads a source's credential from an environment variable, for the command that adds the source. */
export const readCredential = (variable: string): string | undefined => process.env[variable]?.trim() || undefined;
