/** A run whose answer is not stored in its conversation yet. All tabs of this browser can follow its stream. */
export interface KnownRun {
  readonly run: string;
  readonly kind: string;
  /** Empty without a conversation. */
  readonly conversation: string;
  readonly asOf: string;
  /** Whether another browser started it, which stores the answer unless it is closed. */
  readonly isElsewhere?: boolean;
}

const KEY = 'citewell.ask.runs';
const MAX_RUNS = 20;

/** Used where the browser blocks storage: a reload then shows what the conversation stores. */
let unstored: readonly KnownRun[] = [];

/** Oldest first. */
export function knownRuns(): readonly KnownRun[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return unstored;
  }
}

export function rememberRun(run: KnownRun): void {
  store([...knownRuns().filter((each) => each.run !== run.run), run].slice(-MAX_RUNS));
}

export function forgetRun(run: string): void {
  store(knownRuns().filter((each) => each.run !== run));
}

export const forgetRuns = (): void => store([]);

function store(runs: readonly KnownRun[]): void {
  unstored = runs;
  try {
    if (runs.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(runs));
  } catch {
    // Kept in memory.
  }
}
