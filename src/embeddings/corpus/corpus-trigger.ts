import type { CorpusWatch } from '../../store/watch-corpus.ts';

/** Milliseconds: debounce after changes, its maximum, and the pause before a retry. */
export interface TriggerPauses {
  readonly quiet: number;
  readonly longest: number;
  readonly retry: number;
}

export interface CorpusTriggerParts {
  readonly changes: CorpusWatch;
  readonly pauses: TriggerPauses;
  /** Resolves with false if the work failed and is to be tried again after the pause for retries. */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Runs work in the background after changes of the corpus, one run at a time. */
export interface CorpusTrigger {
  /** Starts watching the corpus, and runs the work once. */
  start(): void;
  /** Runs the work now, unless it is running or held. */
  begin(): void;
  /** Stops the background work, runs this instead, and resumes afterwards. */
  runExclusively<Step, Result>(run: () => AsyncGenerator<Step, Result>): AsyncGenerator<Step, Result>;
  close(): Promise<void>;
}

export function createCorpusTrigger({ changes, pauses, work, onError }: CorpusTriggerParts): CorpusTrigger {
  let background: { readonly done: Promise<void>; readonly stop: AbortController } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let isClosed = false;
  let isHeld = false;
  let isStarted = false;
  let unsubscribe = () => {};

  function begin(): void {
    timer = undefined;
    waitingSince = undefined;
    if (isClosed || isHeld || background !== undefined) return;
    const stop = new AbortController();
    const done = work(stop.signal)
      .then((isDone) => {
        if (!isDone) schedule(pauses.retry);
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error);
      })
      .finally(() => {
        background = undefined;
      });
    background = { done, stop };
  }

  function schedule(pause: number): void {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(begin, pause);
    timer.unref();
  }

  function onChange(): void {
    const now = performance.now();
    waitingSince ??= now;
    schedule(Math.max(0, Math.min(pauses.quiet, waitingSince + pauses.longest - now)));
  }

  async function stopBackground(): Promise<void> {
    clearTimeout(timer);
    background?.stop.abort();
    await background?.done;
  }

  return {
    start() {
      isStarted = true;
      unsubscribe = changes.subscribe(onChange);
      schedule(0);
    },
    begin,
    async *runExclusively(run) {
      const wasHeld = isHeld;
      isHeld = true;
      try {
        await stopBackground();
        return yield* run();
      } finally {
        isHeld = wasHeld;
        if (isStarted) onChange();
      }
    },
    async close() {
      isClosed = true;
      unsubscribe();
      await stopBackground();
    },
  };
}
