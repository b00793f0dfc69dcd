import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { type AccessConfig, accessComplaints, accessConfig } from './access/access-settings.ts';
import { issue } from './config-issues.ts';
import { sandboxComplaints, sandboxSettings } from './config-sandbox.ts';
import { type ConfigSources, gatherVariables } from './config-sources.ts';
import { type LogLevel, variables } from './config-variables.ts';
import { type NamedProviderConfig, namedProviders, unknownVariables, warningsFor } from './config-warnings.ts';
import { type FieldIssue, ServiceError } from './errors.ts';
import { type ExternalServer, readExternalServers, type ServersReading } from './mcp/external-servers.ts';
import type { PriceTable } from './models/prices.ts';
import type { SandboxSettings } from './sandbox/sandbox-settings.ts';
import { userCacheFolder } from './user-cache.ts';
import { engineNames, type WebSettings } from './web/web-settings.ts';

/** How to reach one provider of models. */
export interface ProviderConfig {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

export interface RemoteChromaConfig {
  readonly url: string;
  readonly token?: string;
  readonly tenant?: string;
  readonly database?: string;
}

/** Everything that can be set from outside, checked. The only reader of the environment is `loadConfig`. */
export interface Config {
  /** Absolute. */
  readonly dataDir: string;
  /** Where native modules, models and snapshots are kept, for all data folders of this user; undefined without a home. */
  readonly cacheDir: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly access: AccessConfig;
  /** Undefined means the embedded one. */
  readonly chroma?: RemoteChromaConfig;
  readonly openai: ProviderConfig;
  readonly anthropic: ProviderConfig;
  readonly ollama: { readonly baseUrl?: string };
  readonly providers: readonly NamedProviderConfig[];
  /** Provider-qualified names; undefined slots are chosen by the keys that are present. */
  readonly models: {
    readonly quality?: string;
    readonly fast?: string;
    readonly reasoning?: string;
    readonly fallback?: string;
  };
  /** Answers that one provider of models writes at the same time. */
  readonly modelStreams: number;
  /** Models that take no tools and get them described as text. */
  readonly textTools: readonly string[];
  readonly embeddingModel?: string;
  /** Reads the first hits of a search again; undefined is none. */
  readonly reranker?: {
    readonly name: string;
    readonly cohere: ProviderConfig;
    readonly jina: ProviderConfig;
    readonly tei: ProviderConfig;
  };
  /** US dollars per million tokens, over the built-in table. */
  readonly prices: PriceTable;
  /** Whether an upload is answered when its document is there, or at once and the document queued. */
  readonly ingest: 'inline' | 'queue';
  /** Who reads pictures: nobody (`off`), `tesseract`, or a model by its qualified name. */
  readonly images: { readonly reader: string; readonly languages: string; readonly dataFolder?: string };
  /** Whether documents are extracted into the graph by themselves, and with which model where not without one. */
  readonly graph: { readonly isAutomatic: boolean; readonly model?: string };
  /** Who summarises documents where a language model is configured: it, or nobody but their own sentences. */
  readonly summaries: 'model' | 'extract';
  /** Tokens a language model reads at once; longer conversations are summarised. */
  readonly contextTokens: number;
  /** Earlier versions kept of each document. */
  readonly versionsKept: number;
  /** Seconds an agent's stream goes on after its reader left, for it to come back. */
  readonly resumeSeconds: number;
  readonly web: WebSettings;
  readonly sandbox: SandboxSettings;
  /** What a run may still do after it has read words of strangers. */
  readonly afterUntrusted: readonly ('code' | 'addresses' | 'actions')[];
  /** Other MCP servers, whose tools the agent may use. */
  readonly externalServers: readonly ExternalServer[];
  /** Addresses and networks of proxies that are believed about who called them. */
  readonly trustedProxies: readonly string[];
  /** Seconds a request's body may take to arrive; a large one that goes on arriving gets more. */
  readonly requestSeconds: number;
  /** Names besides those of this machine by which the server may be called, and of pages that may call it. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Folders that `citewell mcp` takes in at start and follows; absolute. */
  readonly folders: readonly string[];
  /** Which tools MCP clients get; undefined means the usual ones. */
  readonly mcpToolsets?: readonly string[];
  readonly logLevel: LogLevel;
  /** Sentences for people: settings that are set but do nothing. */
  readonly warnings: readonly string[];
}

/** Reads all that is set from outside. Throws one ServiceError('invalid_field') that lists every wrong variable. */
export function loadConfig(surroundings: ConfigSources = {}): Config {
  const { env = process.env, cwd = process.cwd() } = surroundings;
  const { set, warnings } = gatherVariables({ ...surroundings, env, cwd });
  const parsed = variables.safeParse(set);
  const unknown = unknownVariables(set);
  const issues = [...unknown.misspelt, ...(parsed.success ? [] : parsed.error.issues.map(toIssue))];
  const providers = parsed.success ? namedProviders(parsed.data.CITEWELL_PROVIDERS ?? [], set) : [];
  if (parsed.success) issues.push(...accessComplaints(parsed.data).map(([name, message]) => issue(name, message)));
  const external = parsed.success ? externalServers(parsed.data.CITEWELL_MCP_SERVERS, cwd, set) : undefined;
  if (parsed.success) issues.push(...sandboxComplaints(parsed.data));
  issues.push(...(external?.complaints ?? []).map((complaint) => issue('CITEWELL_MCP_SERVERS', complaint)));
  if (!parsed.success || issues.length > 0) throw configurationError(issues);

  const value = parsed.data;
  return {
    dataDir: resolve(cwd, value.CITEWELL_DATA_DIR),
    cacheDir: userCacheFolder(env),
    host: value.CITEWELL_HOST,
    port: value.CITEWELL_PORT,
    access: accessConfig(value),
    ...(value.CHROMA_URL && {
      chroma: {
        url: value.CHROMA_URL,
        ...(value.CHROMA_TOKEN && { token: value.CHROMA_TOKEN }),
        ...(value.CHROMA_TENANT && { tenant: value.CHROMA_TENANT }),
        ...(value.CHROMA_DATABASE && { database: value.CHROMA_DATABASE }),
      },
    }),
    openai: provider(value.OPENAI_API_KEY, value.OPENAI_BASE_URL),
    anthropic: provider(value.ANTHROPIC_API_KEY, value.ANTHROPIC_BASE_URL),
    ollama: provider(undefined, value.OLLAMA_BASE_URL),
    providers,
    models: {
      ...(value.CITEWELL_MODEL && { quality: value.CITEWELL_MODEL }),
      ...(value.CITEWELL_FAST_MODEL && { fast: value.CITEWELL_FAST_MODEL }),
      ...(value.CITEWELL_REASONING_MODEL && { reasoning: value.CITEWELL_REASONING_MODEL }),
      ...(value.CITEWELL_FALLBACK_MODEL && { fallback: value.CITEWELL_FALLBACK_MODEL }),
    },
    modelStreams: value.CITEWELL_MODEL_STREAMS,
    textTools: value.CITEWELL_TEXT_TOOLS ?? [],
    ...(value.CITEWELL_EMBEDDING_MODEL && { embeddingModel: value.CITEWELL_EMBEDDING_MODEL }),
    ...(value.CITEWELL_RERANKER && {
      reranker: {
        name: value.CITEWELL_RERANKER,
        cohere: provider(value.COHERE_API_KEY, value.COHERE_BASE_URL),
        jina: provider(value.JINA_API_KEY, value.JINA_BASE_URL),
        tei: provider(value.TEI_API_KEY, value.TEI_BASE_URL),
      },
    }),
    prices: value.CITEWELL_PRICES ?? {},
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
    summaries: value.CITEWELL_SUMMARIES,
    contextTokens: value.CITEWELL_CONTEXT_TOKENS,
    versionsKept: value.CITEWELL_VERSIONS_KEPT,
    resumeSeconds: value.CITEWELL_RESUME_SECONDS,
    web: webSettings(value),
    sandbox: sandboxSettings(value, cwd, set['PATH']),
    afterUntrusted: value.CITEWELL_AFTER_UNTRUSTED ?? [],
    externalServers: external?.servers ?? [],
    trustedProxies: value.CITEWELL_TRUSTED_PROXIES ?? [],
    requestSeconds: value.CITEWELL_REQUEST_SECONDS,
    allowedHosts: value.CITEWELL_ALLOWED_HOSTS ?? [],
    allowedOrigins: value.CITEWELL_ALLOWED_ORIGINS ?? [],
    folders: (value.CITEWELL_FOLDERS ?? []).map((folder) => resolve(cwd, folder)),
    ...(value.CITEWELL_MCP_TOOLSETS && { mcpToolsets: value.CITEWELL_MCP_TOOLSETS }),
    logLevel: value.CITEWELL_LOG_LEVEL,
    warnings: [...warnings, ...unknown.warnings, ...warningsFor(set, providers)],
  };
}

/** Engines that have their key or address, in the order asked for; those that are not named are not used then. */
function webSettings(value: z.output<typeof variables>): WebSettings {
  const access = {
    searxng: value.SEARXNG_URL,
    brave: value.BRAVE_API_KEY,
    serper: value.SERPER_API_KEY,
    tavily: value.TAVILY_API_KEY,
    exa: value.EXA_API_KEY,
  };
  const order = [...new Set(value.CITEWELL_WEB_SEARCH ?? engineNames)];
  return {
    openHosts: value.CITEWELL_ALLOW_HOSTS ?? [],
    obeysRobots: value.CITEWELL_OBEY_ROBOTS,
    engines: order.flatMap((name) => {
      const given = access[name];
      return given === undefined ? [] : [{ name, access: given }];
    }),
    ...(value.CITEWELL_BROWSER && { browser: value.CITEWELL_BROWSER }),
  };
}

/** The value is the JSON itself, or the path of a file with it. */
function externalServers(
  value: string | undefined,
  cwd: string,
  set: Readonly<Record<string, string>>,
): ServersReading {
  if (value === undefined) return { servers: [], complaints: [] };
  if (value.trimStart().startsWith('{')) return readExternalServers(value, set);
  try {
    return readExternalServers(readFileSync(resolve(cwd, value), 'utf8'), set);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { servers: [], complaints: [`expected the path of a file, or JSON; the file cannot be read${code}`] };
  }
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
