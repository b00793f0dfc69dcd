export interface ThrottledTaskParts {
  /** Minimum time between the starts of two rounds. */
  readonly everyMs: number;
  /** Does all the work that has accumulated. */
  readonly work: () => Promise<void>;
  /** Receives the first of several consecutive failures; the work is retried until it succeeds. */
  readonly onFailure: (error: unknown) => void;
}

/** Coalesces requests for work: runs immediately after a pause, at most once per interval, never concurrently. */
export interface ThrottledTask {
  wake(): void;
  /** Resolves when no work is pending, or after `withinMs`; then no further round is started. */
  close(withinMs: number): Promise<void>;
}

const RETRY_MS = 500;

export function createThrottledTask({ everyMs, work, onFailure }: ThrottledTaskParts): ThrottledTask {
  let isWanted = false;
  let isFailing = false;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    while (isWanted && !isClosed) {
      const pause = isFailing ? RETRY_MS : begunAt + everyMs - performance.now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      else await new Promise((resolve) => setImmediate(resolve));
      if (isClosed) return;
      isWanted = false;
      begunAt = performance.now();
      try {
        await work();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onFailure(error);
        isFailing = true;
        isWanted = true;
      }
    }
  }

  function wake(): void {
    isWanted = true;
    if (isClosed) return;
    running ??= run().finally(() => {
      running = undefined;
      if (isWanted) wake();
    });
  }

  return {
    wake,
    async close(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const end = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([running, end]);
      clearTimeout(timer);
      isClosed = true;
    },
  };
}
