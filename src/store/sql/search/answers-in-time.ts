import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Limits the wait for an index that may be loading its files. While an answer is overdue, callers can skip the wait.
 */
export interface AnswersInTime {
  /** Whether an earlier answer is still overdue, so that another request would probably wait as well. */
  isLate(): boolean;
  /** The answer; undefined if it takes longer than `ms`. */
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
