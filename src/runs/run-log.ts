import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { Run, type RunParts, type RunRecord } from './run.ts';

export interface RunLogSettings {
  /** Milliseconds a run continues without a reader; 0 ends it at once. */
  readonly graceMs: number;
  /** Milliseconds for which events of ended runs are kept. */
  readonly retentionMs: number;
  /** Maximum number of ended runs kept; the oldest are dropped first. */
  readonly maxRuns: number;
  /** Maximum characters of events of ended runs; the oldest runs are dropped first. */
  readonly maxCharacters: number;
}

export const defaultRunLogSettings: RunLogSettings = {
  graceMs: 5_000,
  retentionMs: 10 * 60_000,
  maxRuns: 500,
  maxCharacters: 64_000_000,
};

export interface StartRun extends Omit<RunParts, 'id' | 'graceMs'> {
  /** Whether the run continues to its end without readers; otherwise it ends after the grace period. */
  readonly isResumable: boolean;
}

/** Runs by id, so that a client can resume a broken stream. */
export class RunLog {
  readonly #settings: RunLogSettings;
  readonly #running = new Map<string, Run>();
  /** Map in the order in which runs ended. */
  readonly #ended = new Map<string, { readonly run: Run; readonly forget: NodeJS.Timeout }>();

  constructor(settings: RunLogSettings) {
    this.#settings = settings;
  }

  start({ isResumable, ...parts }: StartRun): Run {
    const grace = isResumable ? Number.POSITIVE_INFINITY : this.#settings.graceMs;
    const run = new Run({ ...parts, id: randomUUID(), graceMs: grace });
    this.#running.set(run.id, run);
    void run.ended.then(() => this.#end(run));
    return run;
  }

  /** Throws `not_found` alike for unknown, expired and foreign runs. */
  get(id: string, ownerId: string): Run {
    const run = this.#running.get(id) ?? this.#ended.get(id)?.run;
    if (run !== undefined && run.ownerId === ownerId) return run;
    const minutes = Math.round(this.#settings.retentionMs / 60_000);
    throw new ServiceError(
      'not_found',
      `There is no run ${id}. Runs can be read for ${minutes} minutes after they end; answers of agents remain in their conversations.`,
    );
  }

  /** Newest first. */
  list(ownerId: string): readonly RunRecord[] {
    const runs = [...this.#running.values(), ...this.#ended.values().map(({ run }) => run)];
    return runs
      .filter((run) => run.ownerId === ownerId)
      .map((run) => run.record)
      .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
  }

  /** Cancels all running runs and settles when they have ended. */
  async close(): Promise<void> {
    const reason = new ServiceError('cancelled', 'The service is stopping; try again when it is back.');
    await Promise.all([...this.#running.values()].map((run) => run.cancel(reason)));
    for (const id of this.#ended.keys()) this.#forget(id);
  }

  #end(run: Run): void {
    this.#running.delete(run.id);
    if (run.failedBeforeFirstEvent) return;
    const { id } = run;
    const forget = setTimeout(() => this.#forget(id), this.#settings.retentionMs).unref();
    this.#ended.set(id, { run, forget });
    let size = 0;
    for (const ended of this.#ended.values()) size += ended.run.size;
    for (const [oldest, ended] of this.#ended) {
      const isTooMuch = this.#ended.size > this.#settings.maxRuns || size > this.#settings.maxCharacters;
      // The most recent run is kept regardless of its size: its reader may not have finished.
      if (!isTooMuch || oldest === id) return;
      size -= ended.run.size;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    clearTimeout(this.#ended.get(id)?.forget);
    this.#ended.delete(id);
  }
}
