import { performance } from 'node:perf_hooks';
import { collectGarbage } from './collect-garbage.ts';

export interface RestSettings {
  /** How long the thread must have been idle. */
  readonly restMs?: number;
  /** Frees other memory the thread can do without; called before garbage collection. */
  readonly free?: () => void;
}

const REST_MS = 10_000;
/** A thread whose event loop is busy for less than this share of the time is idle. */
const RESTING = 0.01;
/** Milliseconds of work after which a collection is worthwhile. */
const WORTHWHILE_MS = 100;

/**
 * Collects garbage and returns memory to the operating system whenever this thread becomes idle after work. V8 collects
 * only while it allocates, so an idle process would keep the memory of its busiest time. The result stops this.
 */
export function returnMemoryAtRest({ restMs = REST_MS, free }: RestSettings = {}): () => void {
  let last = performance.eventLoopUtilization();
  let workedMs = WORTHWHILE_MS;
  const checkLoad = () => {
    const now = performance.eventLoopUtilization();
    const { active, utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    workedMs += active;
    if (utilization > RESTING || workedMs < WORTHWHILE_MS) return;
    free?.();
    if (collectGarbage()) workedMs = 0;
    // Exclude the collection itself from the measured work.
    last = performance.eventLoopUtilization();
  };
  const timer = setInterval(checkLoad, restMs).unref();
  return () => clearInterval(timer);
}
