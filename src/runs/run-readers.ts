import type { SharedRuns } from '../store/shared-state.ts';

/** Time between two announcements of readers that went on; others are announced again after a second. */
const ANNOUNCE_EVERY_MS = 200;
const REPEAT_AFTER_MS = 1_000;

interface Followed {
  readers: number;
  /** Number of events that the foremost reader has taken. */
  taken: number;
  announced: { readonly taken: number; readonly at: number } | undefined;
}

/** Tells the servers of the runs that are read here that they are, and how far: they wait for their foremost reader. */
export class RunReaders {
  readonly #runs: Pick<SharedRuns, 'announceReaders'>;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(runs: Pick<SharedRuns, 'announceReaders'>) {
    this.#runs = runs;
  }

  enter(id: string, after: number): { taken(number: number): void; leave(): void } {
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
    // The next announcement says the same and more.
    void this.#runs.announceReaders(new Map(due.map(([id, { taken }]) => [id, taken]))).catch(() => {});
  }
}
