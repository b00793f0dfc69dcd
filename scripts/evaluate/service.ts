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
/** States in which it is training or about to. */
const UNSETTLED = /\bbeing\b|\benough\b|has grown|learned anew/;

export interface ServiceOptions {
  /** Made if need be. */
  readonly dataFolder: string;
  readonly isGraphOn: boolean;
  /** Undefined for SQLite in the data folder. */
  readonly databaseUrl?: string | undefined;
  readonly vectorIndex?: 'chroma' | 'pgvector';
}

/** A service started like a user does, accessed over HTTP. */
export interface Service {
  call(method: ServerRequest['method'], path: string, body?: unknown): Promise<unknown>;
  /** The events of a stream, to its end. */
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
    // Ctrl-C is handled by this program, which stops the service.
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  const listen = (text: string) => {
    said = (said + text).slice(-10_000);
    const [, address] = /(http:\/\/\S+)\/v3/.exec(said) ?? [];
    if (address !== undefined) resolve(address);
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  const ended = once(child, 'close');
  // On a second interruption the service is killed.
  const endToo = () => child.kill('SIGTERM');
  process.once('exit', endToo);
  void ended.then(() => reject(new Error(`The service did not start:\n${said}`)));
  const timer = setTimeout(() => reject(new Error(`The service did not start in time:\n${said}`)), START_WITHIN_MS);
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', endToo);
  };
  try {
    const url = await promise;
    return { ...asking(url, signal), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function asking(url: string, signal: AbortSignal): Omit<Service, 'close'> {
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
      const begun = performance.now();
      let before = '';
      let since = begun;
      while (performance.now() - since < QUIET_MS && performance.now() - begun < SETTLE_WITHIN_MS) {
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
