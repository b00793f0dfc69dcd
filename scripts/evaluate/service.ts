import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { askServer, type ServerRequest, streamFromServer } from '../../src/cli/send-request.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/citewell.js', import.meta.url));
const START_WITHIN_MS = 180_000;
/** Longer than the service waits before it decides whether to train. */
const QUIET_MS = 5_000;
const LOOK_EVERY_MS = 500;
const SETTLE_WITHIN_MS = 600_000;
/** Matches states in which the embedder is being trained or soon will be. */
const UNSETTLED = /\bbeing\b|\benough\b|has grown|learned anew/;

export interface ServiceOptions {
  /** Created if it does not exist. */
  readonly dataFolder: string;
  readonly isGraphOn: boolean;
  /** URL of a PostgreSQL database; undefined means SQLite in the data folder. */
  readonly databaseUrl?: string | undefined;
  readonly vectorIndex?: 'chroma' | 'pgvector';
}

/** A service started as a user would start it, accessed over HTTP. */
export interface Service {
  call(method: ServerRequest['method'], path: string, body?: unknown): Promise<unknown>;
  /** Sends a request and reads its event stream to the end. */
  follow(path: string, body: unknown): Promise<void>;
  status(): Promise<{ readonly embedder: string; readonly chunks: number; readonly embedder_reason?: string }>;
  /** Waits until background work after ingestion is finished. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function startService(options: ServiceOptions, signal: AbortSignal): Promise<Service> {
  await mkdir(options.dataFolder, { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: options.dataFolder,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C reaches only this program, which then stops the service.
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const listen = (text: string) => {
    output = (output + text).slice(-10_000);
    const [, address] = /(http:\/\/\S+)\/v3/.exec(output) ?? [];
    if (address !== undefined) resolve(address);
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  const ended = once(child, 'close');
  // Stops the service if this program exits early, e.g. after a second Ctrl-C.
  const endToo = () => child.kill('SIGTERM');
  process.once('exit', endToo);
  void ended.then(() => reject(new Error(`The service did not start:\n${output}`)));
  const timer = setTimeout(() => reject(new Error(`The service did not start in time:\n${output}`)), START_WITHIN_MS);
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', endToo);
  };
  try {
    const url = await promise;
    return { ...serviceClient(url, signal), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function serviceClient(url: string, signal: AbortSignal): Omit<Service, 'close'> {
  const call: Service['call'] = async (method, path, body) => {
    const answer = await askServer(url, { method, path, signal, ...(body !== undefined && { body }) });
    return (answer as { readonly results: unknown }).results;
  };
  const status: Service['status'] = async () => {
    const results = await call('GET', '/system/status');
    return (results as { readonly citewell: Awaited<ReturnType<Service['status']>> }).citewell;
  };
  return {
    call,
    status,
    async follow(path, body) {
      for await (const _ of streamFromServer(url, { method: 'POST', path, body, signal }));
    },
    async settle() {
      const startedAt = performance.now();
      let before = '';
      let since = startedAt;
      while (performance.now() - since < QUIET_MS && performance.now() - startedAt < SETTLE_WITHIN_MS) {
        const { embedder, embedder_reason: reason } = await status();
        const now = `${embedder} ${reason}`;
        if (now !== before || UNSETTLED.test(now)) since = performance.now();
        before = now;
        await sleep(LOOK_EVERY_MS, undefined, { signal });
      }
    },
  };
}

/** Ignores settings of the environment, except those for model access. */
function environment({
  dataFolder,
  isGraphOn,
  databaseUrl,
  vectorIndex = 'chroma',
}: ServiceOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CITEWELL_') || name.startsWith('CITEWELL_PROVIDER'),
  );
  return {
    ...Object.fromEntries(kept),
    CITEWELL_DATA_DIR: dataFolder,
    ...(databaseUrl !== undefined && { CITEWELL_DATABASE_URL: databaseUrl, CITEWELL_VECTOR_INDEX: vectorIndex }),
    CITEWELL_AUTH: 'off',
    CITEWELL_RATE_LIMITS: 'off',
    CITEWELL_LOG_LEVEL: 'warn',
    CITEWELL_GRAPH: isGraphOn ? 'on' : 'off',
    NO_COLOR: '1',
  };
}
