import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for an index that may be reading its files, once for all. */
export interface AnswersInTime {
  /** Whether a late answer is still awaited, so that another question would wait as well. */
  isLate(): boolean;
  /** The answer; undefined when it takes longer. */
  within<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer | undefined>;
}

export function answersInTime(): AnswersInTime {
  let awaited: Promise<unknown> | undefined;

  const waitFor = (answer: Promise<unknown>): void => {
    const over = () => {
      if (awaited === answer) awaited = undefined;
    };
    awaited = answer;
    answer.then(over, over);
  };

  return {
    isLate: () => awaited !== undefined,
    async within(answer, ms) {
      const isOver = new AbortController();
      const late = sleep(ms, undefined, { signal: isOver.signal }).catch(() => undefined);
      try {
        const first = await Promise.race([answer, late]);
        if (first === undefined) waitFor(answer);
        return first;
      } finally {
        isOver.abort();
      }
    },
  };
}
