/** Tables of the allowed imports. `check-imports.ts` enforces them; docs/decisions.md gives the reasons. */

/** Shared types. */
const vocabulary = ['documents', 'errors', 'program-file', 'shared'];
/** Ports: small interfaces that adapters implement. */
const ports = [...vocabulary, 'store', 'models', 'embeddings', 'web', 'sandbox', 'sources', 'access'];
/** Components that the product's logic builds on. */
const foundations = [...ports, 'prompts', 'toolbox', 'retrieval', 'graph', 'citations'];
const adapters = [
  'store/sql',
  'store/copy',
  'store/postgres',
  'store/pgvector',
  'store/chroma',
  'models/openai',
  'models/anthropic',
  'models/extractive',
];
const work = ['agent', 'rag', 'ingest', 'conversations', 'runs'];

/**
 * Component → components it may import besides itself. A component is a folder or file directly in `src/`, or a subfolder with its own
 * entry. `tools` is the folder beside `src`.
 */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  errors: ['member-message'],
  'member-message': [],
  version: [],
  'program-file': [],
  'user-cache': [],
  'bundle-loader': [],
  // Small generic helpers, which depend only on errors.
  shared: ['errors'],
  documents: ['errors', 'shared'],
  // Reading order of a PDF page. Also runs in browsers, which locate quotes in the text that the reader extracts.
  'pdf-layout': ['shared'],
  // Answers of S3 services, for the originals and for the source.
  s3: ['shared'],
  config: ['errors', 'shared', 'user-cache', 'access', 'mcp', 'models', 'store', 'web', 'sandbox', 'telemetry'],
  access: [...vocabulary, 'store'],
  store: [...vocabulary, 'embeddings', 's3'],
  'store/full-text': [...vocabulary],
  'store/sql': [...vocabulary, 'bundle-loader', 'store', 'store/full-text', 'embeddings'],
  'store/postgres': [...vocabulary, 'store', 'store/sql', 'store/full-text', 'embeddings'],
  'store/pgvector': [...vocabulary, 'store', 'store/postgres', 'store/sql', 'store/full-text', 'embeddings'],
  // Copies records between databases of either engine, which it accesses through their dialects.
  'store/copy': [...vocabulary, 'store', 'store/sql'],
  'store/chroma': [...vocabulary, 'store'],
  'store/memory': [...vocabulary, 'store', 'store/full-text', 'embeddings'],
  // Embedders and models share the clients of their providers.
  embeddings: [...vocabulary, 'store', 'store/full-text', 'models', 'models/openai', 'local-models'],
  // Models that run on this machine, for embedding and reranking.
  'local-models': [...vocabulary],
  models: [...vocabulary],
  'models/openai': [...vocabulary, 'models'],
  'models/anthropic': [...vocabulary, 'models'],
  'models/extractive': [...vocabulary, 'models', 'citations', 'store/full-text'],
  // Provides network access for the connectors of sources.
  web: [...vocabulary, 'sources'],
  // Remote sources that can be followed: their kinds and connectors.
  sources: [...vocabulary, 's3'],
  sandbox: [...vocabulary],
  citations: [...vocabulary],
  prompts: [...vocabulary, 'store'],
  retrieval: [...ports, 'prompts', 'store/full-text', 'local-models'],
  graph: [...ports, 'prompts', 'citations', 'retrieval', 'store/full-text'],
  toolbox: [...foundations],
  agent: [...foundations, ...work, 'models/extractive'],
  rag: [...foundations, 'models/extractive'],
  ingest: [...foundations, 'pdf-layout'],
  conversations: [...vocabulary, 'store', 'access'],
  runs: ['errors', 'shared', 'store'],
  tools: [...foundations, 'agent'],
  http: [...foundations, ...work, 'page', 'evaluation', 'telemetry'],
  mcp: [...foundations, ...work],
  page: ['client', 'pdf-layout'],
  migrate: [...vocabulary],
  // Works only on records of answers and chunks, so that any client can be evaluated.
  evaluation: [...vocabulary, 'citations', 'store/full-text'],
  // Also runs in browsers, so it must not import any other component.
  client: [],
  // Wires the product from ports; the loading rule `composition` lists what it must not load.
  compose: [...foundations, ...work, 'http', 'tools', 'telemetry'],
  // Metrics and traces, and wrappers of the ports that record them.
  telemetry: [...vocabulary, 'models', 'embeddings', 'retrieval', 'sandbox', 'store', 'ingest', 'toolbox'],
  // Writes and reads archives of a data folder.
  backup: [...vocabulary, 'store', 'store/sql'],
  // Selects and opens the adapters; the only component that knows all of them.
  adapters: [
    ...foundations,
    ...work,
    ...adapters,
    'store/full-text',
    'backup',
    'telemetry',
    'compose',
    'config',
    'version',
    'user-cache',
    'http',
    'mcp',
    'local-models',
  ],
  cli: [
    ...foundations,
    ...work,
    'config',
    'version',
    'user-cache',
    'adapters',
    'backup',
    'compose',
    'http',
    'mcp',
    'migrate',
    'evaluation',
    'local-models',
  ],
  index: [...foundations, ...work, 'config', 'adapters', 'compose', 'http'],
};

/** Files that may import more than their component, with the reason. */
export const exceptions: Readonly<Record<string, readonly string[]>> = {
  // Names pages like all other interfaces; the function imports nothing.
  'src/page/app/texts/ask.ts': ['documents'],
  'src/page/app/texts/source.ts': ['documents'],
  // Diagnoses the parts individually, so it imports them without the services.
  'src/cli/doctor-checks.ts': ['store/chroma', 'store/sql', 'node:sqlite'],
  'src/cli/doctor-repair.ts': ['store/sql'],
  // Reports the progress of the copy.
  'src/cli/migrate-store.ts': ['store/copy'],
  'src/cli/check-postgres.ts': ['store/postgres', 'store/pgvector'],
  // The stored form of a graph uses the types of the graph component, which do not depend on the rest of that component.
  'src/store/graph-records.ts': ['graph'],
  'src/store/sql/graph/name-rows.ts': ['graph'],
  // Knows all providers, so that no other file has to.
  'src/models/registry.ts': ['models/openai', 'models/anthropic'],
  'src/models/create-transcriber.ts': ['models/openai'],
  'src/models/provider-settings.ts': ['models/openai', 'models/anthropic'],
};

/** What a program or thread must not load at start-up. Type imports and dynamic imports do not count. */
export interface LoadingRule {
  readonly root: string;
  readonly components: readonly string[];
  readonly packages: readonly string[];
  /** Folders whose files may load these packages. */
  readonly exempt: readonly string[];
  /** What to do instead, for the error message. */
  readonly instead: string;
}

/**
 * Wiring the product opens nothing: the static imports of `root`, direct and transitive, include no adapter, no
 * configuration and no module that does input or output. Those are passed in as `Adapters`.
 */
const composition: LoadingRule = {
  root: 'src/compose/compose.ts',
  components: [
    'store/sql',
    'store/postgres',
    'store/pgvector',
    'store/chroma',
    'models/openai',
    'models/anthropic',
    'adapters',
    'config',
    'mcp',
    'user-cache',
  ],
  packages: [
    'openai',
    '@anthropic-ai/sdk',
    'chromadb',
    'kysely',
    '@huggingface/tokenizers',
    'undici',
    'express',
    'isolated-vm',
    'playwright-core',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    'pino',
    'node:sqlite',
    'node:fs',
    'node:fs/promises',
    'node:child_process',
    'node:worker_threads',
    'node:net',
    'node:http',
    'node:https',
    'node:dns',
  ],
  // Tools that ingest files read them when they are called.
  exempt: ['tools/ingest/'],
  instead: 'pass it in as an adapter',
};

/** Several of these threads start with the process, but only the writer builds queries. */
const databaseThread: LoadingRule = {
  root: 'src/store/sql/sqlite/sqlite-worker.ts',
  components: [],
  packages: ['kysely'],
  exempt: [],
  instead: 'import it on first use',
};

export const loadingRules: readonly LoadingRule[] = [composition, databaseThread];

/** Vendor package or built-in module → components that may import it. `*` means all components. */
export const vendorComponents: Readonly<Record<string, readonly string[]>> = {
  zod: ['*'],
  pino: ['cli'],
  commander: ['cli'],
  'eventsource-parser': ['client', 'cli'],
  express: ['http', 'mcp'],
  preact: ['page'],
  '@preact/signals': ['page'],
  vite: ['page'],
  'markdown-it': ['page'],
  temml: ['page'],
  'pdfjs-dist': ['page'],
  sigma: ['page'],
  dompurify: ['page'],
  multer: ['http'],
  yazl: ['http'],
  'modern-tar': ['backup'],
  '7z-wasm': ['ingest'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/sdk-trace': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  'age-encryption': ['backup'],
  chromadb: ['store/chroma'],
  kysely: ['store/sql', 'store/copy', 'store/postgres', 'store/pgvector', 'conversations'],
  // The migration reads the database of R2R with it.
  pg: ['store/postgres', 'store/pgvector', 'migrate'],
  'rate-limiter-flexible': ['store/postgres'],
  'node:sqlite': ['store/sql', 'store/postgres', 'store'],
  openai: ['models/openai', 'embeddings'],
  '@anthropic-ai/sdk': ['models/anthropic'],
  '@huggingface/tokenizers': ['local-models', 'embeddings'],
  '@modelcontextprotocol/client': ['mcp'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/node': ['mcp'],
  '@modelcontextprotocol/express': ['mcp'],
  jose: ['access', 'sources'],
  bcryptjs: ['access'],
  'isolated-vm': ['sandbox'],
  pyodide: ['sandbox'],
  // Not web: pages are parsed in the reader processes of ingest.
  cheerio: ['ingest'],
  undici: ['web'],
  'ipaddr.js': ['access', 'web'],
  'playwright-core': ['web'],
  'csv-parse': ['ingest', 'evaluation'],
  'file-type': ['ingest'],
  htmlparser2: ['ingest', 's3', 'sources'],
  aws4fetch: ['sources', 'store'],
  numfmt: ['ingest'],
  'iconv-lite': ['ingest'],
  yaml: ['ingest'],
  'robots-parser': ['web'],
  'jsonc-parser': ['cli'],
  '@parcel/watcher': ['ingest'],
  open: ['cli'],
  mammoth: ['ingest'],
  'tesseract.js': ['ingest'],
  unpdf: ['ingest'],
  utif2: ['ingest'],
  'bmp-ts': ['ingest'],
  tiff: ['ingest'],
  'libheif-js': ['ingest'],
  'mdast-util-from-markdown': ['ingest'],
  'mdast-util-gfm-table': ['ingest'],
  'micromark-extension-gfm-table': ['ingest'],
  'ml-matrix': ['embeddings'],
  'p-limit': ['*'],
  imapflow: ['sources'],
  '@notionhq/client': ['sources'],
  stemmer: ['store/full-text'],
  graphology: ['graph', 'page'],
  'graphology-layout-forceatlas2': ['page'],
  'graphology-communities-louvain': ['graph'],
  'wink-nlp': ['graph'],
  'wink-eng-lite-web-model': ['graph'],
};
