import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { ChromaLog } from './chroma-log.ts';
import { LaunchFailure, launchServer, type RunningServer, type ServerEnd } from './launch-server.ts';
import { endLeftover, recordServer } from './leftover-server.ts';
import { reasonOf } from './server-words.ts';

/** What the embedded server is doing. */
export type ChromaServerState =
  | { readonly kind: 'starting' | 'stopped' }
  | { readonly kind: 'running'; readonly url: string; readonly pid: number }
  /** It did not start or keeps ending; tried again by itself. */
  | { readonly kind: 'failed'; readonly error: Error };

/** Why collections must be looked at again: the server came back, or came back with nothing in it. */
export type ServerComeback = 'restarted' | 'emptied';

export interface ChromaServerOptions {
  /** Where the server keeps its files; nobody else writes there. Beside it lies `<folder>.pid`. */
  readonly folder: string;
  /** Finds the native module; asked once per start. */
  binding(): Promise<string>;
  readonly log: ChromaLog;
}

/** Long, because a server that stays silent is thought to have damaged files. */
const READY_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
/** After failing to start. */
const LONGEST_PAUSE_MS = 20_000;
/** After ending soon: requests are waiting, and most of them can be answered. */
const LONGEST_RESTART_PAUSE_MS = 1_000;
const WORTH_A_QUICK_RESTART_MS = 2_000;
/** A server that ran so long did not end because of its files. */
const STABLE_AFTER_MS = 30_000;
const CRASHES_TO_EMPTY = 4;

/** Starts the native Chroma server in the background, and again whenever it ends. */
export class ChromaServer {
  readonly #options: ChromaServerOptions;
  readonly #comebackListeners: ((comeback: ServerComeback) => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #keeping: Promise<void>;
  #state: ChromaServerState = { kind: 'starting' };
  #changed = Promise.withResolvers<void>();
  #server: RunningServer | undefined;
  #mustEmpty = false;
  #crashes = 0;

  constructor(options: ChromaServerOptions) {
    this.#options = options;
    this.#keeping = this.#keepRunning();
  }

  get state(): ChromaServerState {
    return this.#state;
  }

  /** The server's address, waiting for it while it starts. Throws `store_failed` when it cannot start or takes longer. */
  async url(waitMs: number, signal?: AbortSignal): Promise<string> {
    const late = AbortSignal.timeout(waitMs);
    const over = signal ? AbortSignal.any([late, signal]) : late;
    for (;;) {
      const state = this.#state;
      if (state.kind === 'running') return state.url;
      if (state.kind === 'failed') throw state.error;
      if (state.kind === 'stopped') throw new ServiceError('store_failed', 'The embedded Chroma has been stopped.');
      await abortable(this.#changed.promise, over).catch(() => undefined);
      if (signal?.aborted) throw new ServiceError('cancelled', 'The caller no longer waits for the vector index.');
      if (late.aborted) {
        const waited = `The embedded Chroma is still starting after ${waitMs / 1000} s.`;
        throw new ServiceError('store_failed', waited, { retryAfter: 5 });
      }
    }
  }

  onComeback(listener: (comeback: ServerComeback) => void): void {
    this.#comebackListeners.push(listener);
  }

  /** Throws everything in the index away and starts the server anew. */
  async empty(): Promise<void> {
    this.#mustEmpty = true;
    this.#enter({ kind: 'starting' });
    await this.#server?.stop();
  }

  /** Ends the server; resolves when its process is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server?.stop();
    await this.#keeping;
    await rm(this.#recordFile, { force: true });
    this.#enter({ kind: 'stopped' });
  }

  async #keepRunning(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let isFirst = true; !this.#stopping.signal.aborted; isFirst = false) {
      const { didStart, ranMs } = await this.#runOnce(isFirst);
      if (this.#mustEmpty && didStart) continue;
      if (ranMs > WORTH_A_QUICK_RESTART_MS) pauseMs = FIRST_PAUSE_MS;
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, didStart ? LONGEST_RESTART_PAUSE_MS : LONGEST_PAUSE_MS);
    }
  }

  /** From one start to the end of that server. Never throws: a failure becomes the state. */
  async #runOnce(isFirst: boolean): Promise<{ didStart: boolean; ranMs: number }> {
    const { log } = this.#options;
    const failed = { didStart: false, ranMs: 0 };
    try {
      const { server, isEmptied } = await this.#start();
      this.#server = server;
      // The wish to stop or to empty may have come while it started.
      if (this.#stopping.signal.aborted || this.#mustEmpty) {
        await server.stop();
        return failed;
      }
      this.#enter({ kind: 'running', url: `http://127.0.0.1:${server.port}`, pid: server.pid });
      if (isEmptied) this.#announce('emptied');
      else if (!isFirst) this.#announce('restarted');
      const begun = performance.now();
      const end = await server.ended;
      this.#server = undefined;
      await rm(this.#recordFile, { force: true });
      const run = { didStart: true, ranMs: performance.now() - begun };
      if (this.#stopping.signal.aborted) return run;
      this.#enter({ kind: 'starting' });
      if (this.#mustEmpty) return run;
      log.warn({ reason: reasonOf(end.words), signal: end.signal }, 'The embedded Chroma ended; it is started again.');
      this.#countCrash(end, run.ranMs);
      return run;
    } catch (cause) {
      if (this.#stopping.signal.aborted) return failed;
      const error = startFailure(cause, this.#options.folder);
      if (this.#state.kind !== 'failed') log.warn({ reason: error.message }, 'The embedded Chroma cannot be started.');
      this.#enter({ kind: 'failed', error });
      return failed;
    }
  }

  // Files that bring the server down again and again are not worth keeping. Being killed is not their fault.
  #countCrash(end: ServerEnd, ranMs: number): void {
    const isTheirFault = end.signal !== 'SIGKILL' && end.signal !== 'SIGTERM' && ranMs < STABLE_AFTER_MS;
    this.#crashes = isTheirFault ? this.#crashes + 1 : 0;
    if (this.#crashes < CRASHES_TO_EMPTY) return;
    this.#crashes = 0;
    this.#mustEmpty = true;
    this.#options.log.warn({ folder: this.#options.folder }, 'The vector index keeps failing and is made anew.');
  }

  async #start(): Promise<{ server: RunningServer; isEmptied: boolean }> {
    const { folder, log } = this.#options;
    const binding = await this.#options.binding();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await endLeftover(this.#recordFile)) log.warn({ folder }, 'Ended an embedded Chroma left over by a crash.');
    if (this.#mustEmpty) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#mustEmpty = false;
      return { server: await this.#launch(binding), isEmptied: true };
    }
    try {
      const server = await this.#launch(binding);
      // Only there when a kill came between setting it aside and finding out whether it was to blame.
      await rm(this.#asideFolder, { recursive: true, force: true });
      return { server, isEmptied: false };
    } catch (error) {
      if (!(error instanceof LaunchFailure) || (await isEmpty(folder))) throw error;
      log.warn({ folder, reason: reasonOf(error.message) }, 'The vector index seems damaged and is made anew.');
      return { server: await this.#launchWithoutFiles(binding), isEmptied: true };
    }
  }

  // The files are only given up when a server without them does start: else they were not to blame.
  async #launchWithoutFiles(binding: string): Promise<RunningServer> {
    const { folder } = this.#options;
    const aside = this.#asideFolder;
    await rm(aside, { recursive: true, force: true });
    await rename(folder, aside);
    try {
      await mkdir(folder, { mode: 0o700 });
      const server = await this.#launch(binding);
      await rm(aside, { recursive: true, force: true });
      return server;
    } catch (error) {
      if (existsSync(aside)) {
        await rm(folder, { recursive: true, force: true });
        await rename(aside, folder);
      }
      throw error;
    }
  }

  #launch(binding: string): Promise<RunningServer> {
    return launchServer({
      binding,
      folder: this.#options.folder,
      readyWithinMs: READY_WITHIN_MS,
      onProcess: (pid) => recordServer(this.#recordFile, pid),
      signal: this.#stopping.signal,
    });
  }

  get #asideFolder(): string {
    return `${this.#options.folder}.damaged`;
  }

  get #recordFile(): string {
    return `${this.#options.folder}.pid`;
  }

  #enter(state: ChromaServerState): void {
    this.#state = state;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #announce(comeback: ServerComeback): void {
    for (const listener of this.#comebackListeners) listener(comeback);
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}

function startFailure(cause: unknown, folder: string): Error {
  if (cause instanceof ServiceError) return cause;
  const reason = cause instanceof LaunchFailure ? reasonOf(cause.message) : String(cause);
  return new ServiceError(
    'store_failed',
    `The embedded Chroma cannot start on ${folder}: ${reason} Run "citewell doctor", or set CHROMA_URL to a running Chroma.`,
    { cause },
  );
}

function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
