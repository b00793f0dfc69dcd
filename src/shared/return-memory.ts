import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface RestSettings {
  /** How long a thread must have had next to nothing to do. */
  readonly restMs?: number;
  /** Frees what else the thread can do without; called before the garbage is collected. */
  readonly free?: () => void;
}

const REST_MS = 10_000;
/** A thread that was busy for less than this share of the time rests. */
const RESTING = 0.01;
/** Milliseconds of work after which there is garbage worth collecting. */
const WORTHWHILE_MS = 100;

/**
 * Collects the garbage of this thread and returns the memory to the system whenever the thread rests after work. V8 does so
 * only while it allocates, so a process at rest would keep what its busiest time left. Returns what ends this.
 */
export function returnMemoryAtRest({ restMs = REST_MS, free }: RestSettings = {}): () => void {
  let last = performance.eventLoopUtilization();
  let workedMs = WORTHWHILE_MS;
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { active, utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    workedMs += active;
    if (utilization > RESTING || workedMs < WORTHWHILE_MS) return;
    free?.();
    collectGarbage();
    workedMs = 0;
    // The collection is no work that leaves garbage.
    last = performance.eventLoopUtilization();
  };
  const timer = setInterval(look, restMs).unref();
  return () => clearInterval(timer);
}

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Unlike an ordinary collection, the last resort gives pages of the heap back. */
function collectGarbage(): void {
  const options = { type: 'major', flavor: 'last-resort' } as const;
  const { gc } = globalThis as { readonly gc?: Collect };
  // There when Node was started with --expose-gc, which then stays.
  if (gc !== undefined) {
    gc(options);
    return;
  }
  try {
    setFlagsFromString('--expose-gc');
    const collect: Collect = runInNewContext('gc');
    collect(options);
  } catch {
    // Another thread has just taken the flag back; the next rest will do.
  } finally {
    // Contexts that are made later do not get the function.
    setFlagsFromString('--no-expose-gc');
  }
}
