import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { raceAbort } from '../../shared/abort.ts';
import { Condition } from '../../shared/condition.ts';
import type { ChromaLog } from './chroma-log.ts';
import { LaunchFailure, launchServer, type RunningServer, type ServerEnd } from './launch-server.ts';
import { endLeftover, type RecordedServer, recordServer } from './leftover-server.ts';
import { reasonOf } from './server-output.ts';

/** State of the embedded server. */
export type ChromaServerState =
  | { readonly kind: 'starting' | 'stopped' }
  | { readonly kind: 'running'; readonly url: string; readonly pid: number }
  /** It did not start or keeps crashing; restarts continue automatically. */
  | { readonly kind: 'failed'; readonly error: Error };

/** Why collections must be checked again: the server was restarted, or was restarted with an empty index. */
export type ServerRecovery = 'restarted' | 'emptied';

export interface ChromaServerOptions {
  /** Folder of the server's files, written by no other process. Its process record is `<folder>.pid` beside it. */
  readonly folder: string;
  /** Finds the native module; called once per start. */
  binding(): Promise<string>;
  readonly log: ChromaLog;
}

/** Long, because a server that does not answer in time is assumed to have damaged files. */
const READY_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
/** Maximum pause after a failed start. */
const MAX_PAUSE_MS = 20_000;
/** Maximum pause after a crash: requests are waiting, and most of them can be answered after a restart. */
const MAX_RESTART_PAUSE_MS = 1_000;
const QUICK_RESTART_UPTIME_MS = 2_000;
/** A server that ran at least this long did not crash because of its files. */
const STABLE_AFTER_MS = 30_000;
const CRASHES_TO_EMPTY = 4;
const ANSWERS_WITHIN_MS = 4_000;
/** Time an unresponsive server is given before it is ended. */
const SILENT_FOR_MS = 10_000;

/** Runs the native Chroma server in the background and restarts it whenever it ends. */
export class ChromaServer {
  readonly #options: ChromaServerOptions;
  readonly #recoveryListeners: ((recovery: ServerRecovery) => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #keeping: Promise<void>;
  #state: ChromaServerState = { kind: 'starting' };
  #isFirstStart = true;
  readonly #changed = new Condition();
  #server: RunningServer | undefined;
  #mustEmpty = false;
  #crashes = 0;
  #isSuspected = false;

  constructor(options: ChromaServerOptions) {
    this.#options = options;
    this.#keeping = this.#keepRunning();
  }

  get state(): ChromaServerState {
    return this.#state;
  }

  /** True until the server has started or failed for the first time. */
  get isFirstStart(): boolean {
    return this.#isFirstStart;
  }

  /**
   * The server's address; waits while the server starts. Throws `store_failed` when it cannot start or takes longer
   * than `waitMs`.
   */
  async url(waitMs: number, signal?: AbortSignal): Promise<string> {
    const late = AbortSignal.timeout(waitMs);
    const over = signal ? AbortSignal.any([late, signal]) : late;
    for (;;) {
      const state = this.#state;
      if (state.kind === 'running') return state.url;
      if (state.kind === 'failed') throw state.error;
      if (state.kind === 'stopped') throw new ServiceError('store_failed', 'The embedded Chroma has been stopped.');
      await raceAbort(this.#changed.next, over).catch(() => undefined);
      if (signal?.aborted) throw new ServiceError('cancelled', 'The caller no longer waits for the vector index.');
      if (late.aborted) {
        const waited = `The embedded Chroma is still starting after ${waitMs / 1000} s.`;
        throw new ServiceError('store_failed', waited, { retryAfter: 5 });
      }
    }
  }

  /** Whether the server answers a heartbeat now; also true while no server process is running. */
  async answers(signal: AbortSignal, withinMs = ANSWERS_WITHIN_MS): Promise<boolean> {
    if (this.#state.kind !== 'running') return true;
    const within = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
    try {
      await (await fetch(new URL('/api/v2/heartbeat', this.#state.url), { signal: within })).arrayBuffer();
      return true;
    } catch {
      // A refused connection does not count as unresponsive: the end of a server process is detected separately.
      return !within.aborted;
    }
  }

  /** Ends a server that runs and does not answer; a new one is started in its place. */
  async restartIfSilent(): Promise<void> {
    const server = this.#server;
    if (server === undefined || this.#isSuspected) return;
    this.#isSuspected = true;
    try {
      if (await this.answers(this.#stopping.signal, SILENT_FOR_MS)) return;
      if (this.#stopping.signal.aborted || this.#server !== server) return;
      this.#options.log.warn({ pid: server.pid }, 'The embedded Chroma does not answer and is started again.');
      await server.stop();
    } finally {
      this.#isSuspected = false;
    }
  }

  onRecovered(listener: (recovery: ServerRecovery) => void): void {
    this.#recoveryListeners.push(listener);
  }

  /** Deletes the whole index and restarts the server. */
  async empty(): Promise<void> {
    this.#mustEmpty = true;
    this.#setState({ kind: 'starting' });
    await this.#server?.stop();
  }

  /** Stops the server; resolves when its process is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server?.stop();
    await this.#keeping;
    await rm(this.#recordFile, { force: true });
    this.#setState({ kind: 'stopped' });
  }

  async #keepRunning(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let isFirst = true; !this.#stopping.signal.aborted; isFirst = false) {
      const { didStart, ranMs } = await this.#runOnce(isFirst);
      if (this.#mustEmpty && didStart) continue;
      if (ranMs > QUICK_RESTART_UPTIME_MS) pauseMs = FIRST_PAUSE_MS;
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, didStart ? MAX_RESTART_PAUSE_MS : MAX_PAUSE_MS);
    }
  }

  /** Runs the server from one start to its end. Never throws: a failure becomes the state. */
  async #runOnce(isFirst: boolean): Promise<{ didStart: boolean; ranMs: number }> {
    const { log } = this.#options;
    const failed = { didStart: false, ranMs: 0 };
    try {
      const { server, isEmptied } = await this.#start();
      this.#server = server;
      // A stop or an empty may have been requested during the start.
      if (this.#stopping.signal.aborted || this.#mustEmpty) {
        await server.stop();
        return failed;
      }
      this.#setState({ kind: 'running', url: `http://127.0.0.1:${server.port}`, pid: server.pid });
      if (isEmptied) this.#announce('emptied');
      else if (!isFirst) this.#announce('restarted');
      const startedAt = performance.now();
      const end = await server.ended;
      this.#server = undefined;
      await rm(this.#recordFile, { force: true });
      const run = { didStart: true, ranMs: performance.now() - startedAt };
      if (this.#stopping.signal.aborted) return run;
      this.#setState({ kind: 'starting' });
      if (this.#mustEmpty) return run;
      log.warn({ reason: reasonOf(end.words), signal: end.signal }, 'The embedded Chroma ended; it is started again.');
      this.#countCrash(end, run.ranMs);
      return run;
    } catch (cause) {
      if (this.#stopping.signal.aborted) return failed;
      const error = startFailure(cause, this.#options.folder);
      if (this.#state.kind !== 'failed') log.warn({ reason: error.message }, 'The embedded Chroma cannot be started.');
      this.#setState({ kind: 'failed', error });
      return failed;
    }
  }

  // Files that crash the server repeatedly are discarded. A server that was killed does not count as crashed.
  #countCrash(end: ServerEnd, ranMs: number): void {
    const isCrash = end.signal !== 'SIGKILL' && end.signal !== 'SIGTERM' && ranMs < STABLE_AFTER_MS;
    this.#crashes = isCrash ? this.#crashes + 1 : 0;
    if (this.#crashes < CRASHES_TO_EMPTY) return;
    this.#crashes = 0;
    this.#mustEmpty = true;
    this.#options.log.warn({ folder: this.#options.folder }, 'The vector index keeps failing and is rebuilt.');
  }

  async #start(): Promise<{ server: RunningServer; isEmptied: boolean }> {
    const { folder, log } = this.#options;
    const binding = await this.#options.binding();
    this.#stopping.signal.throwIfAborted();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await endLeftover(this.#record)) log.warn({ folder }, 'Ended an embedded Chroma left over by a crash.');
    if (this.#mustEmpty) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#mustEmpty = false;
      return { server: await this.#launch(binding), isEmptied: true };
    }
    try {
      const server = await this.#launch(binding);
      // Present only when the process was killed after setting the files aside and before deciding whether they were
      // damaged.
      await rm(this.#damagedFolder, { recursive: true, force: true });
      return { server, isEmptied: false };
    } catch (error) {
      if (!(error instanceof LaunchFailure) || (await isEmpty(folder))) throw error;
      log.warn({ folder, reason: reasonOf(error.message) }, 'The vector index seems damaged and is rebuilt.');
      return { server: await this.#launchWithoutFiles(binding), isEmptied: true };
    }
  }

  // The files are discarded only when the server does start without them; otherwise they are not the cause.
  async #launchWithoutFiles(binding: string): Promise<RunningServer> {
    const { folder } = this.#options;
    const damagedFolder = this.#damagedFolder;
    await rm(damagedFolder, { recursive: true, force: true });
    await rename(folder, damagedFolder);
    try {
      await mkdir(folder, { mode: 0o700 });
      const server = await this.#launch(binding);
      await rm(damagedFolder, { recursive: true, force: true });
      return server;
    } catch (error) {
      if (existsSync(damagedFolder)) {
        await rm(folder, { recursive: true, force: true });
        await rename(damagedFolder, folder);
      }
      throw error;
    }
  }

  #launch(binding: string): Promise<RunningServer> {
    return launchServer({
      binding,
      folder: this.#options.folder,
      readyWithinMs: READY_WITHIN_MS,
      onProcess: (pid) => recordServer(this.#record, pid),
      signal: this.#stopping.signal,
    });
  }

  get #damagedFolder(): string {
    return `${this.#options.folder}.damaged`;
  }

  get #record(): RecordedServer {
    return { file: this.#recordFile, folder: this.#options.folder };
  }

  get #recordFile(): string {
    return `${this.#options.folder}.pid`;
  }

  #setState(state: ChromaServerState): void {
    this.#state = state;
    this.#isFirstStart = false;
    this.#changed.notify();
  }

  #announce(recovery: ServerRecovery): void {
    for (const listener of this.#recoveryListeners) listener(recovery);
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
