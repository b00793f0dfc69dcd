import { z } from 'zod';
import { isProxyNetwork } from '../access/client-address.ts';
import { isConfidential } from '../access/confidential-address.ts';
import { type QuotaSizes, quotaKinds } from '../access/quotas.ts';
import { splitList } from '../shared/text.ts';
import { readPlace, type S3Place } from '../store/originals/s3/s3-settings.ts';
import { engineNames } from '../web/web-settings.ts';
import {
  readHeaders,
  readKeys,
  readLocalServers,
  readNumbers,
  readOpenHosts,
  readPrices,
  readProviderList,
} from './readers.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const url = (example: string) =>
  z.url({ protocol: /^https?$/, error: `expected an http or https address such as ${example}` });
const databaseUrl = z
  .string()
  .refine(
    isDatabaseUrl,
    'expected an address such as postgres://user:password@db.example.org/citewell, with % as %25 and / as %2F in the password',
  );
function isDatabaseUrl(value: string): boolean {
  // Unencoded characters of a password would be parsed as other parts of the URL, and shown in messages.
  const isEncoded = !/%(?![0-9a-f]{2})|#/i.test(value);
  if (!/^postgres(?:ql)?:\/\//.test(value) || !isEncoded || !URL.canParse(value)) return false;
  return /^\/[^/@]+$/.test(new URL(value).pathname);
}
const modelName = (example: string) => modelNameOr('', example);
/** For a union with words such as "auto": of a wrong value, it reports the message of this check and not its own. */
const modelNameOr = (words: string, example: string) =>
  z.string().regex(/^[a-z0-9][a-z0-9._-]*\/\S+$/i, `expected ${words}<provider>/<name> such as ${example}`);
const word = z.string().trim();
const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'expected true or false' })
  .transform((value) => value === 'true' || value === '1');

const wholeNumber = (example: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `expected a whole number such as ${example}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `expected a whole number from ${min} to ${max}`);

/** A list whose entries are separated by commas or spaces. */
const listOf = <Entry extends z.ZodType<unknown, string>>(entry: Entry) =>
  z
    .string()
    .transform((list) => splitList(list))
    .pipe(z.array(entry));

type Reader<Value> = (text: string, complain: (message: string) => void) => Value;

const readBy = <Value>(read: Reader<Value>) =>
  z.string().transform((text, context) => read(text, (message) => context.addIssue(message)));

const hostNames = listOf(
  z
    .string()
    .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/, 'expected names without scheme and port such as example.org')
    .toLowerCase(),
);

const ORIGINS_EXPECTED = 'expected names without scheme and port such as example.org, or * for every page';

const PORT_EXPECTED = 'expected a number from 0 to 65535';

const port = z
  .string()
  .refine(
    (text) => !text.includes('://'),
    `${PORT_EXPECTED}; Kubernetes sets an address for a service of this name, except with enableServiceLinks: false`,
  )
  .regex(/^\d{1,5}$/, PORT_EXPECTED)
  .transform(Number)
  .refine((number) => number <= 65_535, PORT_EXPECTED);

/**
 * Schemas of all variables. Error messages state what is expected and never repeat the value, which may be a misplaced
 * secret.
 */
export const variables = z.object({
  CITEWELL_ENV_FILE: word.optional(),
  CITEWELL_DATA_DIR: z.string().default('.citewell'),
  CITEWELL_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'expected an address or host name such as 127.0.0.1')
    .default('127.0.0.1'),
  CITEWELL_PORT: port.default(7272),
  CITEWELL_AUTH: z.enum(['off', 'required'], { error: 'expected off or required' }).optional(),
  CITEWELL_API_KEYS: readBy(readKeys).optional(),
  CITEWELL_OAUTH_ISSUER: word
    .refine(
      isConfidential,
      'expected an https address such as https://login.example.org; http is for this machine only',
    )
    .refine((address) => !/[?#]/.test(address), 'expected an address without a query')
    .optional(),
  CITEWELL_OAUTH_AUDIENCE: url('https://kb.example.org/mcp')
    .refine((address) => !address.includes('#'), 'expected an address without a fragment')
    .optional(),
  CITEWELL_LIBRECHAT_SECRET: z
    .string()
    .min(16, 'expected the JWT_SECRET of LibreChat, 16 characters or more')
    .optional(),
  CITEWELL_REGISTRATION: z.enum(['open', 'closed'], { error: 'expected open or closed' }).optional(),
  CITEWELL_REQUIRE_VERIFIED: flag.default(false),
  CITEWELL_JWT_SECRET: z
    .string()
    .min(32, 'expected 32 characters or more, such as openssl rand -hex 32 makes')
    .optional(),
  CITEWELL_ACCESS_MINUTES: wholeNumber('60', 1, 100_000).default(60),
  CITEWELL_REFRESH_DAYS: wholeNumber('7', 1, 365).default(7),
  CITEWELL_ADMIN_EMAIL: word
    .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'expected an e-mail address such as ada@example.org')
    .optional(),
  CITEWELL_ADMIN_PASSWORD: z
    .string()
    .min(8, 'expected 8 characters or more')
    .max(1_000, 'expected 1000 characters or less')
    .optional(),
  CITEWELL_R2R_TEST_ADMIN: flag.default(false),
  CITEWELL_RATE_LIMITS: readBy((list, complain) => {
    const numbers = readNumbers(list, ['global', 'route', 'month'], complain);
    return { globalPerMinute: numbers['global'], routePerMinute: numbers['route'], monthly: numbers['month'] };
  }).optional(),
  CITEWELL_QUOTAS: readBy((list, complain): QuotaSizes => readNumbers(list, quotaKinds, complain)).optional(),
  CITEWELL_TRUSTED_PROXIES: listOf(
    z.string().refine(isProxyNetwork, 'expected addresses or networks such as 10.0.0.2, 10.0.0.0/8'),
  ).optional(),
  CITEWELL_REQUEST_SECONDS: wholeNumber('60', 1, 3_600).default(60),
  CITEWELL_ALLOWED_HOSTS: hostNames.optional(),
  CITEWELL_ALLOWED_ORIGINS: z
    .string()
    .transform((list) => (list.trim() === '*' ? ['*'] : list))
    .pipe(z.union([z.tuple([z.literal('*')]), hostNames], { error: ORIGINS_EXPECTED }))
    .optional(),
  CITEWELL_FOLDERS: z
    .string()
    .transform((list) => splitList(list, /[,\n]/))
    .optional(),
  CITEWELL_SECRET_KEY: z.string().trim().min(32, 'expected at least 32 random characters').optional(),
  CITEWELL_ALLOW_FOLDERS: z
    .string()
    .transform((list) => splitList(list, /[,\n]/))
    .optional(),
  CITEWELL_MCP_TOOLSETS: listOf(
    z.string().regex(/^[a-z_]+$/, 'expected names of toolsets such as retrieval,corpus'),
  ).optional(),
  CITEWELL_METRICS: z.enum(['admin', 'open', 'off'], { error: 'expected admin, open or off' }).default('admin'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http://127.0.0.1:4318').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http://127.0.0.1:4318/v1/traces').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: readBy(readHeaders).optional(),
  OTEL_SERVICE_NAME: word.default('citewell'),
  // As OpenTelemetry specifies: "true" in any case; everything else is false.
  OTEL_SDK_DISABLED: z
    .string()
    .transform((value) => /^\s*true\s*$/i.test(value))
    .default(false),
  CITEWELL_LOG_LEVEL: z.enum(logLevels, { error: `expected one of ${logLevels.join(', ')}` }).default('info'),
  CITEWELL_MODEL: z
    .union([z.literal('auto'), modelNameOr('auto, or ', 'openai/gpt-6.1-sol or anthropic/claude-sonnet-5-5')])
    .optional(),
  CITEWELL_LOCAL_MODELS: readBy(readLocalServers).optional(),
  CITEWELL_FAST_MODEL: modelName('openai/gpt-6-luna').optional(),
  CITEWELL_REASONING_MODEL: modelName('openai/gpt-6.1-sol').optional(),
  CITEWELL_FALLBACK_MODEL: modelName('anthropic/claude-sonnet-5-5').optional(),
  CITEWELL_MODEL_STREAMS: wholeNumber('128', 1, 10_000).default(128),
  CITEWELL_TEXT_TOOLS: listOf(modelName('ollama/gemma3:4b')).optional(),
  CITEWELL_EMBEDDING_MODEL: modelName(
    'openai/text-embedding-3-small, local/bge-small-en-v1.5 or builtin/static-v1',
  ).optional(),
  CITEWELL_MODEL_HUB: url('https://huggingface.co').default('https://huggingface.co'),
  CITEWELL_RERANKER: modelName(
    'local/ms-marco-minilm-l6-v2, cohere/rerank-v3.5, jina/jina-reranker-v3, tei/bge-reranker or openai/gpt-6-luna',
  ).optional(),
  CITEWELL_PROVIDERS: readBy(readProviderList).optional(),
  CITEWELL_PRICES: readBy(readPrices).optional(),
  CITEWELL_INGEST: z.enum(['inline', 'queue'], { error: 'expected inline or queue' }).default('inline'),
  CITEWELL_WORK: z.enum(['on', 'off'], { error: 'expected on or off' }).default('on'),
  CITEWELL_WORKER_PORT: port.optional(),
  CITEWELL_STOP_DELAY_SECONDS: wholeNumber('5', 0, 300).default(0),
  CITEWELL_STOP_SECONDS: wholeNumber('20', 0, 3_600).default(20),
  CITEWELL_MAX_FILE_MB: wholeNumber('100', 1, 1_000).optional(),
  CITEWELL_VERSIONS_KEPT: wholeNumber('10', 0, 1_000).default(10),
  CITEWELL_GRAPH: z.enum(['on', 'off'], { error: 'expected on or off' }).default('on'),
  CITEWELL_GRAPH_MODEL: modelName('openai/gpt-6-luna or builtin/noun-phrases-v1').optional(),
  CITEWELL_READ_IMAGES: z
    .union([z.enum(['off', 'tesseract']), modelNameOr('off, tesseract, or ', 'openai/gpt-6-luna')])
    .default('off'),
  CITEWELL_OCR_LANGUAGES: z
    .string()
    .regex(/^[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*$/, 'expected names such as eng or eng+deu')
    .default('eng'),
  CITEWELL_OCR_DATA: word.optional(),
  CITEWELL_TRANSCRIBER: modelName('openai/whisper-1').optional(),
  CITEWELL_SUMMARIES: z.enum(['model', 'extract'], { error: 'expected model or extract' }).default('model'),
  CITEWELL_CONTEXT_TOKENS: wholeNumber('128000', 2_000, 10_000_000).default(128_000),
  CITEWELL_RESUME_SECONDS: wholeNumber('5', 0, 3_600).default(5),
  CITEWELL_AFTER_UNTRUSTED: listOf(
    z.enum(['code', 'addresses', 'actions'], { error: 'expected code, addresses, actions, or some of them' }),
  ).optional(),
  CITEWELL_MCP_SERVERS: z.string().optional(),
  CITEWELL_SANDBOX: z.enum(['auto', 'strict', 'off'], { error: 'expected auto, strict or off' }).default('auto'),
  CITEWELL_PYTHON_PACKAGES: word.optional(),
  CITEWELL_PYODIDE_URL: url('https://cdn.jsdelivr.net/pyodide/v314.0.7/full').optional(),
  CITEWELL_PYTHON_SECONDS: wholeNumber('10', 1, 600).optional(),
  CITEWELL_PYTHON_MOST_SECONDS: wholeNumber('60', 1, 600).optional(),
  CITEWELL_PYTHON_MEMORY_MB: wholeNumber('256', 64, 3_000).optional(),
  CITEWELL_PYTHON_PROCESS_MB: wholeNumber('600', 300, 8_000).optional(),
  CITEWELL_PYTHON_OUTPUT_CHARACTERS: wholeNumber('20000', 100, 1_000_000).optional(),
  CITEWELL_PYTHON_INPUT_MB: wholeNumber('10', 1, 40).optional(),
  CITEWELL_PYTHON_FILES: wholeNumber('8', 0, 1_000).optional(),
  CITEWELL_PYTHON_FILES_MB: wholeNumber('2', 0, 40).optional(),
  CITEWELL_PYTHON_SLOTS: wholeNumber('4', 1, 256).optional(),
  CITEWELL_PYTHON_QUEUE: wholeNumber('16', 0, 10_000).optional(),
  CITEWELL_PYTHON_QUEUE_SECONDS: wholeNumber('30', 0, 600).optional(),
  CITEWELL_PYTHON_IDLE_SECONDS: wholeNumber('600', 1, 86_400).optional(),
  CITEWELL_WEB_SEARCH: listOf(z.enum(engineNames, { error: `expected names of ${engineNames.join(', ')}` })).optional(),
  CITEWELL_ALLOW_HOSTS: readBy(readOpenHosts).optional(),
  CITEWELL_OBEY_ROBOTS: flag.default(true),
  CITEWELL_BROWSER: word.optional(),
  CITEWELL_PROXY_RESOLVES: flag.default(false),
  HTTP_PROXY: word.optional(),
  HTTPS_PROXY: word.optional(),
  NO_PROXY: word.optional(),
  SEARXNG_URL: url('http://127.0.0.1:8888').optional(),
  BRAVE_API_KEY: word.optional(),
  SERPER_API_KEY: word.optional(),
  TAVILY_API_KEY: word.optional(),
  EXA_API_KEY: word.optional(),
  OPENAI_API_KEY: word.optional(),
  OPENAI_BASE_URL: url('https://api.openai.com/v1').optional(),
  ANTHROPIC_API_KEY: word.optional(),
  ANTHROPIC_BASE_URL: url('https://api.anthropic.com').optional(),
  OLLAMA_BASE_URL: url('http://127.0.0.1:11434').optional(),
  COHERE_API_KEY: word.optional(),
  COHERE_BASE_URL: url('https://api.cohere.com/v2').optional(),
  JINA_API_KEY: word.optional(),
  JINA_BASE_URL: url('https://api.jina.ai/v1').optional(),
  TEI_API_KEY: word.optional(),
  TEI_BASE_URL: url('http://127.0.0.1:8080').optional(),
  CITEWELL_DATABASE_URL: databaseUrl.optional(),
  CITEWELL_ORIGINALS: readBy((text, complain): 'database' | S3Place => {
    if (text.trim() === 'database') return 'database';
    const place = readPlace(text.trim());
    if (place !== undefined) return place;
    complain(
      'expected database, or a bucket and a prefix such as s3://my-bucket/citewell, of letters, digits, -, _ and .',
    );
    return 'database';
  }).optional(),
  CITEWELL_ORIGINALS_ENDPOINT: url('https://minio.example.org').optional(),
  CITEWELL_ORIGINALS_REGION: word.regex(/^[a-z0-9-]+$/i, 'expected a region such as eu-central-1').optional(),
  AWS_REGION: word.optional(),
  AWS_ACCESS_KEY_ID: word.optional(),
  AWS_SECRET_ACCESS_KEY: word.optional(),
  AWS_SESSION_TOKEN: word.optional(),
  CITEWELL_DATABASE_MIGRATE: z.enum(['start', 'off'], { error: 'expected start or off' }).default('start'),
  CITEWELL_VECTOR_INDEX: z.enum(['chroma', 'pgvector'], { error: 'expected chroma or pgvector' }).default('chroma'),
  CHROMA_URL: url('http://127.0.0.1:8000 or https://api.trychroma.com').optional(),
  CHROMA_API_KEY: word.optional(),
  CHROMA_TOKEN: word.optional(),
  CHROMA_TENANT: word.optional(),
  CHROMA_DATABASE: word.optional(),
  CITEWELL_CHROMA_RESULTS: wholeNumber('300', 10, 1_000_000).optional(),
  CITEWELL_CHROMA_RECORDS: wholeNumber('300', 1, 1_000_000).optional(),
  CITEWELL_CHROMA_CALLS: wholeNumber('10', 1, 10_000).optional(),
  CITEWELL_CHROMA_PREDICATES: wholeNumber('8', 1, 1_000).optional(),
});

/** Names of all variables, for `.env.example` and hints, except `CITEWELL_PROVIDER_<NAME>_API_KEY`. */
export const variableNames: readonly string[] = Object.keys(variables.shape);

/**
 * Variables that a `.env` in the working folder may set: none of them changes where keys, questions and documents are
 * sent, or what is run, stored, deleted or exposed. All others must come from the environment or a file named by the
 * user.
 */
export const workingFolderVariables: ReadonlySet<string> = new Set<keyof typeof variables.shape>([
  'CITEWELL_PORT',
  'CITEWELL_LOG_LEVEL',
  'CITEWELL_INGEST',
  'CITEWELL_GRAPH',
  'CITEWELL_CONTEXT_TOKENS',
  'CITEWELL_TEXT_TOOLS',
  'CITEWELL_RESUME_SECONDS',
  'CITEWELL_OCR_LANGUAGES',
]);
