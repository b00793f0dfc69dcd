import type { RequestHandler } from 'express';
import type { Accounts } from '../../../src/access/accounts.ts';
import type { Authenticate } from '../../../src/access/credentials.ts';
import { createApp, type Mount } from '../../../src/http/app.ts';
import { defaultHttpLimits, type HttpServices } from '../../../src/http/http-services.ts';
import { type HttpServer, listen } from '../../../src/http/serve.ts';
import { InProcessMadeFiles } from '../../../src/runs/in-process-made-files.ts';
import { InProcessRunLog } from '../../../src/runs/in-process-run-log.ts';
import { defaultRunLogSettings } from '../../../src/runs/run-log.ts';

export interface LoggedLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface RunningHttp extends HttpServer {
  readonly logged: readonly LoggedLine[];
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** The app over loopback with these parts of its services; using any other part fails the test. */
export async function startHttp(
  parts: Partial<HttpServices> = {},
  authenticate?: Authenticate,
  guard?: RequestHandler,
  mounts: readonly Mount[] = [],
): Promise<RunningHttp> {
  const logged: LoggedLine[] = [];
  const line = (level: LoggedLine['level']) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const services: HttpServices = {
    corpus: absent('corpus'),
    versions: absent('versions'),
    ingestor: absent('ingestor'),
    ingestions: absent('ingestions'),
    sources: absent('sources'),
    followed: absent('followed'),
    graph: absent('graph'),
    retriever: absent('retriever'),
    answerer: absent('answerer'),
    checker: absent('checker'),
    models: absent('models'),
    modelChoices: async () => ({ providers: [], looksForModels: false, found: [], embedders: [] }),
    embeddings: absent('embeddings'),
    conversations: absent('conversations'),
    agent: absent('agent'),
    madeFiles: new InProcessMadeFiles(),
    runs: new InProcessRunLog({ ...defaultRunLogSettings, graceMs: 50 }),
    collections: absent('collections'),
    prompts: absent('prompts'),
    spaces: absent('spaces'),
    maintenance: absent('maintenance'),
    queue: absent('queue'),
    settings: () => ({}),
    accounts: unlimited,
    reindex: () => {
      throw new Error('This test has no reindex.');
    },
    status: async () => ({
      version: '0.0.0-test',
      model: 'builtin/extractive',
      embedder: 'builtin/lexical-hash-v1',
      data: '/data',
      index: { kind: 'memory', state: 'ready' },
      problems: [],
      hints: [],
    }),
    log: { info: line('info'), warn: line('warn'), error: line('error') },
    limits: defaultHttpLimits,
    ...parts,
  };
  const server = await listen(
    createApp(services, authenticate, mounts, guard),
    { host: '127.0.0.1', port: 0 },
    services.limits.request,
  );
  return {
    ...server,
    logged,
    async close() {
      await server.close();
      await services.runs.close();
    },
    post: (path, body, init) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
      }),
  };
}

/** Counts no requests; everything else is absent. */
const unlimited = new Proxy({} as Accounts, {
  get: (_target, name) => (name === 'limits' ? { admit: async () => {} } : absent<object>(`accounts.${String(name)}`)),
});

function absent<T extends object>(name: string): T {
  const refuse = (): never => {
    throw new Error(`This test has no ${name}.`);
  };
  return new Proxy({} as T, { get: () => refuse });
}
