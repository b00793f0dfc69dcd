/** A run started in this tab; after a reload, its stream is resumed. */
export interface KnownRun {
  readonly run: string;
  readonly question: string;
  readonly kind: string;
  /** Empty without a conversation. */
  readonly conversation: string;
  readonly asOf: string;
}

const KEY = 'citewell.ask.runs';
const MAX_RUNS = 20;

/** Unfinished runs of this tab, oldest first. */
export function knownRuns(): readonly KnownRun[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

export function rememberRun(run: KnownRun): void {
  store([...knownRuns().filter((each) => each.run !== run.run), run].slice(-MAX_RUNS));
}

export function forgetRun(run: string): void {
  store(knownRuns().filter((each) => each.run !== run));
}

function store(runs: readonly KnownRun[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(runs));
  } catch {
    // Without session storage, a reload shows what the conversation stores.
  }
}
