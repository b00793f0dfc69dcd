import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultAccountSettings } from '../src/access/accounts.ts';
import { isLoopback } from '../src/access/confidential-address.ts';
import { variableNames, variables, workingFolderVariables } from '../src/config/variables.ts';
import { loadConfig } from '../src/config.ts';
import { ServiceError } from '../src/errors.ts';
import { usualServers } from '../src/models/local-servers.ts';
import { defaultSandboxLimits } from '../src/sandbox/default-limits.ts';
import { sourceKinds } from '../src/sources/kinds.ts';
import { userCacheFolder } from '../src/user-cache.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'citewell-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const load = (env: Record<string, string> = {}) => loadConfig({ env, cwd });

function refusal(env: Record<string, string>): ServiceError {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

describe('configuration', () => {
  it('has a default for every setting', () => {
    expect(load()).toEqual({
      dataDir: join(cwd, '.citewell'),
      cacheDir: userCacheFolder({}),
      databaseMigrate: 'start',
      vectorIndex: 'chroma',
      host: '127.0.0.1',
      cluster: { takesTasks: true, stopDelaySeconds: 0, stopSeconds: 20 },
      port: 7272,
      access: {
        mode: 'off',
        keys: [],
        accounts: defaultAccountSettings,
        admins: { knowsTestPassword: false },
      },
      originals: {},
      openai: {},
      anthropic: {},
      ollama: {},
      providers: [],
      models: {},
      prices: {},
      graph: { isAutomatic: true },
      images: { reader: 'off', languages: 'eng' },
      contextTokens: 128_000,
      summaries: 'model',
      versionsKept: 10,
      ingest: 'inline',
      resumeSeconds: 5,
      web: { openHosts: [], obeysRobots: true, engines: [] },
      sandbox: { mode: 'auto', limits: defaultSandboxLimits },
      afterUntrusted: [],
      externalServers: [],
      allowedHosts: [],
      allowedOrigins: [],
      folders: [],
      allowedFolders: [],
      hasDisplay: false,
      localServers: usualServers,
      usesLocalServers: true,
      modelStreams: 128,
      modelHub: 'https://huggingface.co',
      trustedProxies: [],
      requestSeconds: 60,
      textTools: [],
      metrics: 'admin',
      logLevel: 'info',
      warnings: [],
    });
  });

  it('reads every setting', () => {
    const config = load({
      CITEWELL_DATA_DIR: '/data',
      CITEWELL_HOST: '::1',
      CITEWELL_PORT: '0',
      CITEWELL_METRICS: 'open',
      CITEWELL_LOG_LEVEL: 'debug',
      CITEWELL_MODEL: 'openai/a',
      CITEWELL_FAST_MODEL: 'openai/b',
      CITEWELL_REASONING_MODEL: 'groq/c/d',
      CITEWELL_FALLBACK_MODEL: 'anthropic/e',
      CITEWELL_EMBEDDING_MODEL: 'local/./models/f',
      CITEWELL_MODEL_HUB: 'https://mirror.example.org/',
      CITEWELL_PROVIDERS: 'groq=https://groq.test/v1, my-box=http://127.0.0.1:1/v1',
      CITEWELL_PROVIDER_GROQ_API_KEY: 'g',
      CITEWELL_PROVIDER_MY_BOX_API_KEY: 'm',
      OPENAI_API_KEY: 'o',
      OPENAI_BASE_URL: 'http://127.0.0.1:2/v1',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:3',
      OLLAMA_BASE_URL: 'http://127.0.0.1:4',
      CHROMA_URL: 'https://chroma.test',
      CHROMA_TOKEN: 't',
      CHROMA_TENANT: 'n',
      CHROMA_DATABASE: 'd',
      CITEWELL_CHROMA_RESULTS: '500',
      CITEWELL_CHROMA_CALLS: '3',
      CITEWELL_PRICES: '{"groq/c": {"input": 1, "output": 2}}',
      CITEWELL_GRAPH: 'off',
      CITEWELL_SUMMARIES: 'extract',
      CITEWELL_GRAPH_MODEL: 'openai/gpt-6-luna',
      CITEWELL_READ_IMAGES: 'tesseract',
      CITEWELL_OCR_LANGUAGES: 'eng+deu',
      CITEWELL_OCR_DATA: '/ocr',
      CITEWELL_CONTEXT_TOKENS: '32000',
      CITEWELL_VERSIONS_KEPT: '3',
      CITEWELL_RESUME_SECONDS: '0',
      CITEWELL_AFTER_UNTRUSTED: 'code, addresses, actions',
      CITEWELL_MCP_SERVERS: `{"mcpServers": {"wiki": {"url": "https://wiki.test/mcp", "headers": {"x-api-key": "\${EXA_API_KEY}"}, "tools": ["search"]}}}`,
      CITEWELL_ALLOWED_HOSTS: 'kb.test',
      CITEWELL_API_KEYS: 'a-key-of-16-char, another-key-of-24-c, a-key-of-16-char',
      CITEWELL_OAUTH_ISSUER: 'https://login.test/realm/',
      CITEWELL_OAUTH_AUDIENCE: 'https://kb.test/mcp',
      CITEWELL_SANDBOX: 'strict',
      CITEWELL_PYTHON_PACKAGES: 'wheels',
      CITEWELL_PYTHON_SECONDS: '20',
      CITEWELL_PYTHON_MOST_SECONDS: '120',
      CITEWELL_PYTHON_MEMORY_MB: '512',
      CITEWELL_PYTHON_PROCESS_MB: '900',
      CITEWELL_PYTHON_OUTPUT_CHARACTERS: '5000',
      CITEWELL_PYTHON_INPUT_MB: '5',
      CITEWELL_PYTHON_FILES: '3',
      CITEWELL_PYTHON_FILES_MB: '1',
      CITEWELL_PYTHON_SLOTS: '7',
      CITEWELL_PYTHON_QUEUE: '4',
      CITEWELL_PYTHON_QUEUE_SECONDS: '9',
      CITEWELL_PYTHON_IDLE_SECONDS: '60',
      PATH: '/opt/bin',
      DISPLAY: ':0',
      CITEWELL_LOCAL_MODELS: 'off',
      CITEWELL_ALLOWED_ORIGINS: 'app.test',
      CITEWELL_FOLDERS: '/papers, notes',
      CITEWELL_ALLOW_FOLDERS: '/books',
      CITEWELL_DATABASE_MIGRATE: 'off',
      CITEWELL_VECTOR_INDEX: 'chroma',
      CITEWELL_MCP_TOOLSETS: 'retrieval, openai',
      CITEWELL_WEB_SEARCH: 'exa, tavily, searxng',
      CITEWELL_ALLOW_HOSTS: 'wiki.intern:8080, *.intern 10.0.0.0/8',
      CITEWELL_PROXY_RESOLVES: 'true',
      HTTP_PROXY: 'http://proxy.example:3128',
      https_proxy: 'http://secure.example:3128',
      NO_PROXY: '.intern',
      CITEWELL_OBEY_ROBOTS: 'false',
      CITEWELL_BROWSER: '/usr/bin/chromium',
      SEARXNG_URL: 'http://127.0.0.1:8888',
      BRAVE_API_KEY: 'b',
      SERPER_API_KEY: 's',
      EXA_API_KEY: 'e',
      CITEWELL_MODEL_STREAMS: '300',
      CITEWELL_TRUSTED_PROXIES: '10.0.0.2, fd00::/8 loopback',
      CITEWELL_REQUEST_SECONDS: '20',
      CITEWELL_TEXT_TOOLS: 'ollama/gemma3:4b, groq/c/d',
      CITEWELL_REQUIRE_VERIFIED: 'true',
      CITEWELL_JWT_SECRET: 'a secret of thirty-two characters.',
      CITEWELL_ACCESS_MINUTES: '15',
      CITEWELL_REFRESH_DAYS: '30',
      CITEWELL_RATE_LIMITS: 'global=5, month=9',
      CITEWELL_QUOTAS: 'chunks=7',
      CITEWELL_ADMIN_EMAIL: 'a@b.test',
      CITEWELL_ADMIN_PASSWORD: 'pass phrase',
    });
    expect(config).toEqual({
      dataDir: '/data',
      cacheDir: userCacheFolder({}),
      databaseMigrate: 'off',
      vectorIndex: 'chroma',
      host: '::1',
      cluster: { takesTasks: true, stopDelaySeconds: 0, stopSeconds: 20 },
      port: 0,
      access: {
        mode: 'required',
        keys: ['a-key-of-16-char', 'another-key-of-24-c'],
        oauth: { issuer: 'https://login.test/realm/', audience: 'https://kb.test/mcp' },
        accounts: {
          registration: 'closed',
          requiresVerified: true,
          tokenSecret: 'a secret of thirty-two characters.',
          accessMinutes: 15,
          refreshDays: 30,
          rates: { globalPerMinute: 5, monthly: 9 },
          quotas: { chunks: 7 },
        },
        admins: { first: { email: 'a@b.test', password: 'pass phrase' }, knowsTestPassword: false },
      },
      metrics: 'open',
      logLevel: 'debug',
      models: { quality: 'openai/a', fast: 'openai/b', reasoning: 'groq/c/d', fallback: 'anthropic/e' },
      embeddingModel: 'local/./models/f',
      providers: [
        { name: 'groq', baseUrl: 'https://groq.test/v1', apiKey: 'g' },
        { name: 'my-box', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'm' },
      ],
      originals: {},
      openai: { apiKey: 'o', baseUrl: 'http://127.0.0.1:2/v1' },
      anthropic: { apiKey: 'a', baseUrl: 'http://127.0.0.1:3' },
      ollama: { baseUrl: 'http://127.0.0.1:4' },
      chroma: {
        url: 'https://chroma.test',
        token: 't',
        tenant: 'n',
        database: 'd',
        quotas: { results: 500, calls: 3 },
      },
      prices: { 'groq/c': { input: 1, cachedInput: 1, output: 2 } },
      graph: { isAutomatic: false, model: 'openai/gpt-6-luna' },
      images: { reader: 'tesseract', languages: 'eng+deu', dataFolder: '/ocr' },
      contextTokens: 32_000,
      summaries: 'extract',
      versionsKept: 3,
      ingest: 'inline',
      resumeSeconds: 0,
      web: {
        openHosts: [
          { kind: 'name', name: 'wiki.intern', port: 8080 },
          { kind: 'below', suffix: '.intern', port: undefined },
          { kind: 'network', network: '10.0.0.0', prefix: 8, port: undefined },
        ],
        obeysRobots: false,
        engines: [
          { name: 'exa', access: 'e' },
          { name: 'searxng', access: 'http://127.0.0.1:8888' },
        ],
        browser: '/usr/bin/chromium',
        proxy: {
          http: 'http://proxy.example:3128',
          https: 'http://secure.example:3128',
          except: '.intern',
          resolvesNames: true,
        },
      },
      afterUntrusted: ['code', 'addresses', 'actions'],
      externalServers: [
        {
          name: 'wiki',
          transport: { kind: 'http', url: new URL('https://wiki.test/mcp'), headers: { 'x-api-key': 'e' } },
          tools: ['search'],
          deadline: 30_000,
        },
      ],
      sandbox: {
        mode: 'strict',
        packages: join(cwd, 'wheels'),
        searchPath: '/opt/bin',
        limits: {
          milliseconds: 20_000,
          maxMilliseconds: 120_000,
          pythonMegabytes: 512,
          processMegabytes: 900,
          codeCharacters: 100_000,
          outputCharacters: 5_000,
          inputBytes: 5_000_000,
          outputFiles: 3,
          outputBytes: 1_000_000,
          keptBytes: 20_000_000,
          slots: 7,
          queued: 4,
          queuedMilliseconds: 9_000,
          idleMilliseconds: 60_000,
        },
      },
      allowedHosts: ['kb.test'],
      allowedOrigins: ['app.test'],
      folders: ['/papers', join(cwd, 'notes')],
      hasDisplay: true,
      localServers: [],
      usesLocalServers: true,
      allowedFolders: ['/books', '/papers', join(cwd, 'notes')],
      mcpToolsets: ['retrieval', 'openai'],
      modelStreams: 300,
      modelHub: 'https://mirror.example.org',
      trustedProxies: ['10.0.0.2', 'fd00::/8', 'loopback'],
      requestSeconds: 20,
      textTools: ['ollama/gemma3:4b', 'groq/c/d'],
      warnings: [],
    });
  });

  it.each([
    ['CITEWELL_PORT', '70000', 'from 0 to 65535'],
    ['CITEWELL_PORT', '80x', 'from 0 to 65535'],
    ['CITEWELL_SANDBOX', 'maybe', 'auto, strict or off'],
    ['CITEWELL_PYTHON_SECONDS', '0', 'from 1 to 600'],
    ['CITEWELL_PYTHON_PROCESS_MB', '400', 'at least 506'],
    ['CITEWELL_HOST', 'a b', 'an address or host name'],
    ['CITEWELL_LOG_LEVEL', 'loud', 'one of trace, debug'],
    ['CITEWELL_API_KEYS', 'a-key-of-16-char,fifteen-letters', 'at least 16 characters; key 2 is shorter'],
    ['CITEWELL_API_KEYS', 'a key of 16 chars', 'key 1 has others'],
    ['CITEWELL_API_KEYS', ' , ', 'at least 16 characters'],
    ['CITEWELL_OAUTH_ISSUER', 'login.test', 'an https address'],
    ['CITEWELL_OAUTH_ISSUER', 'http://login.test', 'this machine only'],
    ['CITEWELL_OAUTH_ISSUER', 'https://user:pass@login.test', 'an https address'],
    ['CITEWELL_OAUTH_ISSUER', 'https://login.test/?tenant=1', 'without a query'],
    ['CITEWELL_OAUTH_AUDIENCE', 'kb', 'an http or https address'],
    ['CITEWELL_AUTH', 'maybe', 'expected off or required'],
    ['CITEWELL_JWT_SECRET', 'short', '32 characters'],
    ['CITEWELL_QUOTAS', 'files=many', 'documents=100'],
    ['CITEWELL_ALLOWED_ORIGINS', 'https://a.test', 'without scheme'],
    ['CITEWELL_WEB_SEARCH', 'google', 'names of searxng, brave'],
    ['CITEWELL_ALLOW_HOSTS', 'wiki.intern, http://x', 'entry 2 is invalid'],
    ['CITEWELL_OBEY_ROBOTS', 'never', 'true or false'],
    ['SEARXNG_URL', 'searx.test', 'an http or https address'],
    ['CITEWELL_MODEL', 'gpt', 'expected auto, or <provider>/<name> such as openai/'],
    ['CITEWELL_READ_IMAGES', 'yes', 'expected off, tesseract, or <provider>/<name> such as openai/'],
    ['CITEWELL_FAST_MODEL', 'openai/', '<provider>/<name>'],
    ['CITEWELL_REASONING_MODEL', '/o3', '<provider>/<name>'],
    ['CITEWELL_FALLBACK_MODEL', 'x', '<provider>/<name>'],
    ['CITEWELL_EMBEDDING_MODEL', 'hash', '<provider>/<name>'],
    ['CITEWELL_TEXT_TOOLS', 'ollama/a, b', '<provider>/<name>'],
    ['CITEWELL_PROVIDERS', 'groq', 'entries like groq='],
    ['CITEWELL_PROVIDERS', 'groq=ftp://x', 'entries like groq='],
    ['CITEWELL_PROVIDERS', 'openai=https://x.test', 'choose another name'],
    ['CITEWELL_PRICES', '{"a": 1}', 'expected JSON such as'],
    ['CITEWELL_CONTEXT_TOKENS', '12', 'from 2000'],
    ['CITEWELL_RESUME_SECONDS', '-1', 'a whole number'],
    ['CITEWELL_VERSIONS_KEPT', 'all', 'a whole number'],
    ['CITEWELL_AFTER_UNTRUSTED', 'everything', 'code, addresses'],
    ['OPENAI_BASE_URL', 'api.openai.com', 'an http or https address'],
    ['ANTHROPIC_BASE_URL', 'file:///x', 'an http or https address'],
    ['OLLAMA_BASE_URL', '11434', 'an http or https address'],
    ['CHROMA_URL', 'localhost:8000', 'an http or https address'],
    ['CHROMA_URL', 'http://api.trychroma.com', 'expected https'],
    ['CHROMA_URL', 'https://user:secret@chroma.test', 'without a user or password'],
    ['CITEWELL_CHROMA_RESULTS', '0', 'a whole number from 10'],
  ])('refuses %s=%s and names the variable', (variable, value, expected) => {
    const error = refusal({ [variable]: value });
    expect(error.message).toContain(`${variable}: `);
    expect(error.message).toContain(expected);
    expect(error.issues.map(({ loc }) => loc)).toEqual([[variable]]);
  });

  it('lists every invalid variable at once', () => {
    const { issues } = refusal({ CITEWELL_PORT: 'x', CITEWELL_MODEL: 'y', CHROMA_URL: 'z' });
    expect(issues.map(({ loc }) => loc[0]).toSorted()).toEqual(['CHROMA_URL', 'CITEWELL_MODEL', 'CITEWELL_PORT']);
  });

  it('repeats no value in an error, since it may be a misplaced secret', () => {
    const names = [
      'OPENAI_BASE_URL',
      'CITEWELL_MODEL',
      'CITEWELL_PROVIDERS',
      'CITEWELL_API_KEYS',
      'CITEWELL_OAUTH_ISSUER',
    ] as const;
    const { message } = refusal(Object.fromEntries(names.map((name) => [name, 'sk-secret'])));
    for (const name of names) expect(message).toContain(name);
    expect(message).not.toContain('sk-secret');
  });

  it('refuses the address of a database whose password is not encoded, which would be shown as another part of it', () => {
    for (const password of ['12/secret', '50%secret', '12#secret']) {
      const { message } = refusal({ CITEWELL_DATABASE_URL: `postgres://me:${password}@db.example.org/citewell` });
      expect(message).toContain('% as %25');
      expect(message).not.toContain('secret');
    }
    const socket = 'postgresql:///citewell?host=%2Frun%2Fpostgresql';
    for (const address of ['postgres://me:12%2Fsecret@db.example.org/citewell', socket]) {
      expect(load({ CITEWELL_DATABASE_URL: address }).databaseUrl).toBe(address);
    }
  });

  it('lets the environment win over a file that is named, and an empty value count as unset', () => {
    const file = join(cwd, 'settings');
    writeFileSync(file, 'CITEWELL_PORT=1111\nCITEWELL_LOG_LEVEL="warn"\nOPENAI_API_KEY=from-file\n');
    const env = { CITEWELL_PORT: '2222', CITEWELL_LOG_LEVEL: '', OPENAI_API_KEY: ' ' };
    const expected = { port: 2222, logLevel: 'warn', openai: { apiKey: 'from-file' }, warnings: [] };
    expect(loadConfig({ env, cwd, envFile: 'settings' })).toMatchObject(expected);
    expect(load({ ...env, CITEWELL_ENV_FILE: file })).toMatchObject(expected);
    expect(() => loadConfig({ env, cwd, envFile: 'absent' })).toThrow(
      /--settings: .*absent cannot be read: there is no such file\. Name a file of variables/,
    );
    expect(() => load({ CITEWELL_ENV_FILE: 'absent' })).toThrow(/CITEWELL_ENV_FILE: .*absent cannot be read/);
    expect(() => load({ CITEWELL_ENV_FILE: cwd })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('accepts only harmless variables from a .env of the working folder, and names the others', () => {
    const harmful = [
      'OPENAI_BASE_URL=http://attacker.test/v1',
      'OPENAI_API_KEY=theirs',
      'CITEWELL_MCP_SERVERS={"mcpServers": {"x": {"command": "/bin/evil", "tools": "*"}}}',
      'CHROMA_URL=http://attacker.test',
      'CITEWELL_BROWSER=./evil',
      'CITEWELL_DATA_DIR=/home',
      'CITEWELL_PROVIDERS=groq=http://attacker.test',
      'CITEWELL_PROVIDER_GROQ_API_KEY=k',
      'CITEWELL_ENV_FILE=other',
      'CITEWELL_HOST=0.0.0.0',
    ];
    const file = join(cwd, '.env');
    writeFileSync(file, ['CITEWELL_PORT=1111', 'PATH=./bin', 'XDG_CACHE_HOME=/theirs', ...harmful].join('\n'));
    const { warnings, ...config } = load();
    const { warnings: none, ...clean } = loadConfig({ env: {}, cwd: '/nowhere' });
    expect(config).toEqual({ ...clean, port: 1111, dataDir: join(cwd, '.citewell') });
    expect(none).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^CHROMA_URL, .* are ignored: .*--settings/)]);
    for (const [name] of harmful.map((line) => line.split('='))) expect(warnings[0]).toContain(name);
    // No warning when the variables are set otherwise, or when the file was named explicitly.
    writeFileSync(file, 'CITEWELL_PORT=1111\nOPENAI_API_KEY=theirs\n');
    expect(load({ OPENAI_API_KEY: 'mine' })).toMatchObject({ openai: { apiKey: 'mine' }, warnings: [] });
    expect(loadConfig({ env: {}, cwd, envFile: '.env' })).toMatchObject({ openai: { apiKey: 'theirs' }, warnings: [] });
    expect(loadConfig({ env: {}, cwd, readsWorkingFolder: false })).toMatchObject({
      port: 7272,
      openai: {},
      warnings: [],
    });
  });

  it('refuses an unknown variable of its prefix with the nearest name', () => {
    const { message } = refusal({ CITEWELL_MODLE: 'openai/a', CITEWELL_LOCAL_MODEL: 'on', OTHER_TOOL: '1' });
    expect(message).toContain('CITEWELL_MODLE: is not a variable of Citewell; did you mean CITEWELL_MODEL?');
    expect(message).toContain(
      'CITEWELL_LOCAL_MODEL: is not a variable of Citewell; did you mean CITEWELL_LOCAL_MODELS?',
    );
    expect(message).not.toContain('OTHER_TOOL');
    // The common prefix makes no name similar.
    expect(refusal({ CITEWELL_FOO: '1' }).message).not.toContain('did you mean');
    // Kubernetes' CITEWELL_PORT is an address, which tells nothing about where to listen.
    expect(refusal({ CITEWELL_PORT: 'abc' }).message).not.toContain('Kubernetes');
    expect(refusal({ CITEWELL_PORT: 'tcp://10.0.0.7:7272' }).message).toContain('enableServiceLinks: false');
  });

  it.each([
    'CITEWELL_KEY',
    'CITEWELL_TOKEN',
    'CITEWELL_SERVICE_HOST',
    'CITEWELL_SERVICE_PORT_HTTP',
    'CITEWELL_PORT_7272_TCP',
    'CITEWELL_PORT_7272_TCP_ADDR',
    'CITEWELL_POSTGRESQL_SERVICE_HOST',
    'CITEWELL_POSTGRESQL_SERVICE_PORT_TCP_POSTGRESQL',
    'CITEWELL_CHROMA_PORT_8000_TCP_PROTO',
    'CITEWELL_TEST_RUNTIME',
  ])('leaves %s to clients, Kubernetes or tests', (name) => {
    expect(load({ [name]: 'x' }).warnings).toEqual([]);
  });

  it.each(sourceKinds.flatMap(({ secrets }) => Object.values(secrets).map(({ variable }) => variable)))(
    'leaves %s to the command that adds a source',
    (name) => {
      expect(load({ [name]: 'x' }).warnings).toEqual([]);
    },
  );

  it('accepts a port variable that contains an address, as set by Kubernetes, and nothing else', () => {
    expect(load({ CITEWELL_CHROMA_PORT: 'tcp://10.0.0.7:8000' }).warnings).toEqual([]);
    expect(refusal({ CITEWELL_CHROMA_PORT: '8000' }).message).toContain('CITEWELL_CHROMA_PORT: is not a variable');
  });

  it('records no traces where OpenTelemetry is disabled by its own rules', () => {
    const isTraced = (value: string) =>
      load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: value }).traces !== undefined;
    expect(['true', 'True', 'false', '0', 'no'].filter(isTraced)).toEqual(['false', '0', 'no']);
  });

  it('reads the headers for the collector of traces, and refuses those that cannot be sent', () => {
    const read = (list: string) =>
      load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/', OTEL_EXPORTER_OTLP_HEADERS: list }).traces;
    expect(read('authorization=Bearer%20a%3Db, x-tenant = one,')).toEqual({
      url: 'http://127.0.0.1:4318/v1/traces',
      headers: { authorization: 'Bearer a=b', 'x-tenant': 'one' },
      serviceName: 'citewell',
    });
    for (const list of ['authorization', '=key', 'key=50%', 'key=%ff', 'key=a%0D%0Ab', 'key=%E2%82%AC']) {
      expect(refusal({ OTEL_EXPORTER_OTLP_HEADERS: list }).message).toContain('authorization=Bearer%20key');
    }
  });

  it('warns about a key of a provider that is not listed and about Chroma settings without an address', () => {
    expect(load({ CITEWELL_PROVIDER_GROQ_API_KEY: 'k', CHROMA_TOKEN: 't' }).warnings).toEqual([
      expect.stringContaining('CITEWELL_PROVIDER_GROQ_API_KEY names no provider'),
      expect.stringContaining('CHROMA_TOKEN does nothing without CHROMA_URL'),
    ]);
  });

  it('accepts pgvector only with a database, and then warns about settings of Chroma', () => {
    expect(refusal({ CITEWELL_VECTOR_INDEX: 'pgvector' }).message).toMatch(
      /CITEWELL_VECTOR_INDEX: pgvector is a part of PostgreSQL: set CITEWELL_DATABASE_URL too/,
    );
    const env = { CITEWELL_VECTOR_INDEX: 'pgvector', CITEWELL_DATABASE_URL: 'postgres://db.example.org/citewell' };
    expect(load({ ...env, CHROMA_URL: 'http://127.0.0.1:8000' })).toMatchObject({
      vectorIndex: 'pgvector',
      warnings: ['CHROMA_URL does nothing with CITEWELL_VECTOR_INDEX=pgvector.'],
    });
  });

  it('accepts the key of Chroma under either name, but not two different keys', () => {
    const address = { CHROMA_URL: 'https://api.trychroma.com' };
    expect(load({ ...address, CHROMA_API_KEY: 'k' }).chroma?.token).toBe('k');
    expect(load({ ...address, CHROMA_API_KEY: 'k', CHROMA_TOKEN: 'k' }).chroma?.token).toBe('k');
    expect(refusal({ ...address, CHROMA_API_KEY: 'k', CHROMA_TOKEN: 't' }).message).toContain('differs from');
    expect(load({ CHROMA_API_KEY: 'k' }).warnings).toEqual([
      expect.stringContaining('CHROMA_API_KEY does nothing without CHROMA_URL=https://api.trychroma.com'),
    ]);
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])('refuses to listen on %s without authentication', (host) => {
    for (const auth of [{}, { CITEWELL_AUTH: 'off' }])
      expect(refusal({ CITEWELL_HOST: host, ...auth }).message).toContain('Set CITEWELL_AUTH=required');
    expect(load({ CITEWELL_HOST: host, CITEWELL_AUTH: 'required' }).host).toBe(host);
    expect(load({ CITEWELL_HOST: host, CITEWELL_API_KEYS: 'a-key-of-16-char' }).host).toBe(host);
    const oauth = { CITEWELL_OAUTH_ISSUER: 'https://login.test', CITEWELL_OAUTH_AUDIENCE: 'https://kb.test/mcp' };
    expect(load({ CITEWELL_HOST: host, ...oauth }).host).toBe(host);
  });

  it('requires authentication and closes registration when keys or an issuer are set', () => {
    for (const door of [{ CITEWELL_API_KEYS: 'a-key-of-16-char' }, { CITEWELL_OAUTH_ISSUER: 'https://login.test' }]) {
      expect(load(door).access).toMatchObject({ mode: 'required', accounts: { registration: 'closed' } });
      expect(refusal({ ...door, CITEWELL_AUTH: 'off' }).message).toContain('would have no effect');
      const open = load({ ...door, CITEWELL_REGISTRATION: 'open' }).access;
      expect(open).toMatchObject({ mode: 'required', accounts: { registration: 'open' } });
    }
    expect(load({ CITEWELL_AUTH: 'required' }).access.accounts.registration).toBe('open');
  });

  it('limits users by default when authentication is required', () => {
    const required = { CITEWELL_AUTH: 'required' };
    expect(load(required).access.accounts).toMatchObject({
      rates: { globalPerMinute: 60, routePerMinute: 20, monthly: 10_000 },
      quotas: { documents: 10_000, chunks: 10_000_000, collections: 5_000 },
    });
    const off = load({ ...required, CITEWELL_RATE_LIMITS: 'off', CITEWELL_QUOTAS: 'documents=5' }).access.accounts;
    expect(off).toMatchObject({ rates: {}, quotas: { documents: 5 } });
    expect(refusal({ CITEWELL_RATE_LIMITS: 'per-minute=3' }).message).toContain('global=100,route=100,month=100');
  });

  it('accepts the R2R test admin on loopback only, and no publicly known password', () => {
    const test = { CITEWELL_R2R_TEST_ADMIN: 'true' };
    const lengths = [load({}), load(test)].map(({ access }) => access.accounts.minPasswordLength);
    expect(lengths).toEqual([undefined, 1]);
    expect(load(test).access.admins.knowsTestPassword).toBe(true);
    const shared = { ...test, CITEWELL_HOST: '0.0.0.0', CITEWELL_AUTH: 'required' };
    expect(refusal(shared).message).toContain('CITEWELL_R2R_TEST_ADMIN: ');
    expect(refusal({ CITEWELL_ADMIN_EMAIL: 'a@b.test' }).message).toContain('CITEWELL_ADMIN_PASSWORD: ');
    expect(refusal({ CITEWELL_ADMIN_PASSWORD: 'pass phrase' }).message).toContain('CITEWELL_ADMIN_EMAIL: ');
    const first = { email: 'a@b.test', password: 'pass phrase' };
    const known = { CITEWELL_ADMIN_EMAIL: first.email, CITEWELL_ADMIN_PASSWORD: 'change_me_immediately' };
    expect(refusal(known).message).toMatch(/CITEWELL_ADMIN_PASSWORD: .*publicly known/);
    const set = { CITEWELL_ADMIN_EMAIL: first.email, CITEWELL_ADMIN_PASSWORD: first.password };
    expect(load(set).access.admins.first).toEqual(first);
  });

  it('requires the audience of tokens when the address does not imply it', () => {
    const issuer = { CITEWELL_OAUTH_ISSUER: 'https://login.test' };
    expect(refusal({ CITEWELL_HOST: '0.0.0.0', ...issuer }).message).toContain('CITEWELL_OAUTH_AUDIENCE');
    expect(load({ CITEWELL_HOST: '192.168.1.5', ...issuer }).access.oauth).toEqual({ issuer: 'https://login.test' });
    expect(load({ CITEWELL_OAUTH_AUDIENCE: 'https://kb.test/mcp' }).warnings).toEqual([
      expect.stringContaining('does nothing without CITEWELL_OAUTH_ISSUER'),
    ]);
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['localhost', true],
    ['127.example.org', false],
    ['10.0.0.1', false],
  ])('tells whether %s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('tasks in the background', () => {
  it('are left to others only where others can have the database open', () => {
    const { message } = refusal({ CITEWELL_WORK: 'off' });
    expect(message).toContain('CITEWELL_DATABASE_URL');
    const env = { CITEWELL_WORK: 'off', CITEWELL_DATABASE_URL: 'postgres://db.test/citewell' };
    expect(load(env).cluster.takesTasks).toBe(false);
  });
});

/** Values of variables that are not set. */
const defaults = JSON.parse(JSON.stringify(variables.parse({}))) as Readonly<Record<string, unknown>>;
/** Variables whose defaults are outside their schema; CITEWELL_PYTHON_SLOTS depends on the machine. */
const DEFAULT_ELSEWHERE = /^CITEWELL_PYTHON_(?!PACKAGES$|SLOTS$)/;

it('the documents name no variable that does not exist', () => {
  const root = new URL('..', import.meta.url);
  const files = globSync(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'deploy/**', 'skills/**/*.md'], {
    cwd: root,
  }).filter((file) => statSync(new URL(file, root)).isFile());
  const unknown = files.flatMap((file) => {
    const names = readFileSync(new URL(file, root), 'utf8').match(/\bCITEWELL_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g) ?? [];
    return names
      .filter((name) => !variableNames.includes(name) && !OTHER_NAMES.test(name))
      .map((name) => `${file}: ${name}`);
  });
  expect(files.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});

/** Variables of clients, sources, providers, tests and Kubernetes. */
const OTHER_NAMES =
  /^CITEWELL_(?:KEY|TOKEN|SOURCE_(?:TOKEN|PASSWORD)|PROVIDER_\w+_API_KEY|TEST_\w+|SERVICE_HOST|POSTGRESQL_PORT_5432_TCP)$/;

describe('.env.example', () => {
  const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);

  it('documents every variable once, and no other', () => {
    const ofOneProvider = 'CITEWELL_PROVIDER_GROQ_API_KEY';
    expect(documented.toSorted()).toEqual([...variableNames, ofOneProvider].toSorted());
  });

  it('is accepted when everything with a value is uncommented', () => {
    writeFileSync(join(cwd, 'all'), text.replaceAll(/^# ([A-Z][A-Z0-9_]+=)/gm, '$1'));
    expect(loadConfig({ env: {}, cwd, envFile: 'all' }).warnings).toEqual([]);
  });

  it('shows the defaults of variables that have one', () => {
    const standard = load();
    const shown = [...text.matchAll(/^# ([A-Z][A-Z0-9_]+)=(.+)$/gm)].flatMap(([, name = '', value = '']) =>
      name in defaults || DEFAULT_ELSEWHERE.test(name) ? { name, value } : [],
    );
    const named = new Set(shown.map(({ name }) => name));
    expect(Object.keys(defaults).filter((name) => !named.has(name))).toEqual([]);
    for (const { name, value } of shown) expect({ name, ...load({ [name]: value }) }).toEqual({ name, ...standard });
  });

  it('lists what a .env of the working folder may set', () => {
    const [, passage = ''] = /may only set([\s\S]*?)\. `citewell mcp`/.exec(text) ?? [];
    expect(passage.match(/[A-Z][A-Z_]{3,}/g)?.toSorted()).toEqual([...workingFolderVariables].toSorted());
  });
});
