import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { createThrottledTask, type ThrottledTask } from '../shared/throttled-task.ts';
import type { RunProgress, SharedRuns } from '../store/shared-state.ts';
import { Run, type RunParts } from './run.ts';

export type ReportProblem = (message: string, cause: unknown) => void;

interface Entry {
  readonly run: Run;
  /** Number of events written. */
  written: number;
}

/** Interval between writes; the events in between are written together. */
const WRITE_EVERY_MS = 40;
/** Characters of events after which a batch is complete. */
const MAX_CHARACTERS = 4_000_000;
/** Interval at which cancellations and reader positions of other servers are read from the shared store. */
const POLL_INTERVAL_MS = 200;
/** How long shutdown waits for a run after its last reader left: a client may resume a broken stream elsewhere. */
const RECONNECT_WITHIN_MS = 5_000;
/** Time for writing the last events of runs that are cancelled at shutdown. */
const CLOSE_WITHIN_MS = 5_000;

/** Runs in progress on this server. Persists their events, so that readers can follow them at any server. */
export class RunJournal {
  readonly #runs: SharedRuns;
  readonly #entries = new Map<string, Entry>();
  readonly #writing: ThrottledTask;
  readonly #report: ReportProblem;
  readonly #onEnded: () => void;
  #isPolling = false;

  /** `onEnded` is called when the end of a run has been persisted. */
  constructor(runs: SharedRuns, { report, onEnded }: { readonly report: ReportProblem; readonly onEnded: () => void }) {
    this.#runs = runs;
    this.#report = report;
    this.#onEnded = onEnded;
    this.#writing = createThrottledTask({
      everyMs: WRITE_EVERY_MS,
      work: () => this.#write(),
      onFailure: (error) => report('Events of runs could not be written; their readers wait.', error),
    });
  }

  /** Starts a run whose record has already been inserted. */
  start(parts: RunParts): Run {
    const run = new Run(parts, { onProgress: () => this.#writing.wake() });
    this.#entries.set(run.id, { run, written: 0 });
    if (!this.#isPolling) void this.#poll();
    return run;
  }

  /** A run that has not ended, or whose end is not persisted yet. */
  get(id: string): Run | undefined {
    return this.#entries.get(id)?.run;
  }

  async removeOfOwner(ownerId: string, reason: ServiceError): Promise<void> {
    for (const { run } of [...this.#entries.values()].filter((entry) => entry.run.ownerId === ownerId)) {
      this.#entries.delete(run.id);
      run.abandon(reason);
      await run.cancel();
    }
  }

  /** Settles when all runs with readers have ended and are persisted, or after this time. */
  async finish(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    const isRunning = ({ run }: Entry) =>
      run.isAwaited(RECONNECT_WITHIN_MS) || (run.hasEnded && !run.failedBeforeFirstEvent);
    while ([...this.#entries.values()].some(isRunning) && performance.now() < until) await sleep(WRITE_EVERY_MS);
  }

  async close(reason: ServiceError): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ run }) => run.cancel(reason)));
    await this.#writing.close(CLOSE_WITHIN_MS);
    this.#entries.clear();
  }

  async #write(): Promise<void> {
    const failed = [...this.#entries.values()].filter(({ run }) => run.failedBeforeFirstEvent);
    if (failed.length > 0) await this.#runs.remove(failed.map(({ run }) => run.id));
    for (const { run } of failed) this.#entries.delete(run.id);

    const { batch, isAll } = this.#collect();
    if (batch.length === 0) return;
    const own = await this.#runs.write(batch);
    for (const progress of batch) this.#written(progress, own.has(progress.id));
    if (!isAll) this.#writing.wake();
  }

  #collect(): { readonly batch: readonly RunProgress[]; readonly isAll: boolean } {
    const batch: RunProgress[] = [];
    let size = 0;
    for (const { run, written } of this.#entries.values()) {
      const events = run.eventsAfter(written);
      if (events.length === 0 && !run.hasEnded) continue;
      batch.push({ id: run.id, first: written + 1, events, state: run.hasEnded ? run.record.status : 'running' });
      for (const { json } of events) size += json.length;
      if (size > MAX_CHARACTERS) return { batch, isAll: false };
    }
    return { batch, isAll: true };
  }

  #written({ id, first, events, state }: RunProgress, isOwn: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (!isOwn) {
      this.#abandon(entry.run);
      return;
    }
    entry.written = first - 1 + events.length;
    entry.run.recorded(entry.written);
    if (state === 'running') return;
    this.#entries.delete(id);
    this.#onEnded();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#entries.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS).unref());
      const entries = [...this.#entries.values()];
      // Not reported: if the store is unavailable, writing the events fails too and reports it.
      const requests = await this.#runs.requests().catch(() => undefined);
      if (requests === undefined) continue;
      for (const { run } of entries) {
        if (run.hasEnded) continue;
        const request = requests.get(run.id);
        if (request === undefined) this.#abandon(run);
        else {
          if (request.isCancelled) void run.cancel();
          run.readElsewhere(request.readTo);
        }
      }
    }
    this.#isPolling = false;
  }

  /** Ends a run whose record was removed or no longer belongs to this server. */
  #abandon(run: Run): void {
    if (!this.#entries.delete(run.id)) return;
    const message = 'The run was ended by another server: its user was deleted, or this server was considered dead.';
    const reason = new ServiceError('cancelled', message);
    run.abandon(reason);
    if (!run.hasEnded) this.#report(`The run ${run.id} was ended by another server.`, reason);
  }
}
