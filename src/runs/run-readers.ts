import type { SharedRuns } from '../store/shared-state.ts';

/** Interval at which the progress of readers is announced; without progress, an announcement is repeated less often. */
const ANNOUNCE_EVERY_MS = 200;
const REPEAT_AFTER_MS = 1_000;

interface Followed {
  readers: number;
  /** Number of events that the foremost reader has taken. */
  taken: number;
  announced: { readonly taken: number; readonly at: number } | undefined;
}

/** Announces how far readers on this server have followed runs of other servers, whose back-pressure depends on it. */
export class RunReaders {
  readonly #runs: Pick<SharedRuns, 'announceReaders'>;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(runs: Pick<SharedRuns, 'announceReaders'>) {
    this.#runs = runs;
  }

  addReader(id: string, after: number): { taken(number: number): void; leave(): void } {
    const followed = this.#followed.get(id) ?? { readers: 0, taken: after, announced: undefined };
    followed.readers++;
    this.#followed.set(id, followed);
    this.#timer ??= setInterval(() => this.#announce(), ANNOUNCE_EVERY_MS).unref();
    this.#announce();
    return {
      taken(number) {
        followed.taken = Math.max(followed.taken, number);
      },
      leave: () => {
        followed.readers--;
        if (followed.readers === 0) this.#followed.delete(id);
        if (this.#followed.size === 0) this.close();
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #announce(): void {
    const now = performance.now();
    const due = [...this.#followed].filter(
      ([, { taken, announced }]) =>
        announced === undefined || announced.taken < taken || announced.at + REPEAT_AFTER_MS < now,
    );
    if (due.length === 0) return;
    for (const [, followed] of due) followed.announced = { taken: followed.taken, at: now };
    // A failure is ignored, because the next announcement supersedes this one.
    void this.#runs.announceReaders(new Map(due.map(([id, { taken }]) => [id, taken]))).catch(() => {});
  }
}
