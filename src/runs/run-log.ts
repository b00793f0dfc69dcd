import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { Run, type RunParts, type RunRecord } from './run.ts';

export interface RunLogSettings {
  /** Milliseconds a run goes on without a reader before it is ended; 0 ends it at once. */
  readonly grace: number;
  /** Milliseconds an ended run's events are kept. */
  readonly keep: number;
  /** Most ended runs kept; the oldest go first. */
  readonly most: number;
  /** Most characters of ended runs' events kept; the oldest go first. */
  readonly maxCharacters: number;
}

export const defaultRunLogSettings: RunLogSettings = {
  grace: 5_000,
  keep: 10 * 60_000,
  most: 500,
  maxCharacters: 64_000_000,
};

export interface StartRun extends Omit<RunParts, 'id' | 'grace'> {
  /** Goes on to its end whoever reads; otherwise it ends when nobody has read for the grace time. */
  readonly isResumable: boolean;
}

/** Runs by id, so that a lost stream can be read on from where it broke (chances.md C5). */
export class RunLog {
  readonly #settings: RunLogSettings;
  readonly #running = new Map<string, Run>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, { readonly run: Run; readonly forget: NodeJS.Timeout }>();

  constructor(settings: RunLogSettings) {
    this.#settings = settings;
  }

  start({ isResumable, ...parts }: StartRun): Run {
    const grace = isResumable ? Number.POSITIVE_INFINITY : this.#settings.grace;
    const run = new Run({ ...parts, id: randomUUID(), grace });
    this.#running.set(run.id, run);
    void run.ended.then(() => this.#end(run));
    return run;
  }

  /** Throws `not_found` for an unknown, forgotten or foreign run alike. */
  get(id: string, ownerId: string): Run {
    const run = this.#running.get(id) ?? this.#ended.get(id)?.run;
    if (run !== undefined && run.ownerId === ownerId) return run;
    const minutes = Math.round(this.#settings.keep / 60_000);
    throw new ServiceError(
      'not_found',
      `There is no run ${id}. Runs can be read for ${minutes} minutes after they end; what an agent answered stands in its conversation.`,
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

  /** Ends what still runs, and settles when it has ended. */
  async close(): Promise<void> {
    const reason = new ServiceError('cancelled', 'The service is stopping; try again when it is back.');
    await Promise.all([...this.#running.values()].map((run) => run.cancel(reason)));
    for (const id of this.#ended.keys()) this.#forget(id);
  }

  #end(run: Run): void {
    this.#running.delete(run.id);
    if (run.failedBeforeFirstEvent) return;
    const { id } = run;
    const forget = setTimeout(() => this.#forget(id), this.#settings.keep).unref();
    this.#ended.set(id, { run, forget });
    let size = 0;
    for (const ended of this.#ended.values()) size += ended.run.size;
    for (const [oldest, ended] of this.#ended) {
      const isTooMuch = this.#ended.size > this.#settings.most || size > this.#settings.maxCharacters;
      // The one that just ended stays, however large it is: its own reader may not have read it all.
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
