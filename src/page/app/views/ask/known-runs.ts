/** A run that this tab started, so that a reload takes its stream up again. */
export interface KnownRun {
  readonly run: string;
  readonly question: string;
  readonly kind: string;
  /** Empty while it has none. */
  readonly conversation: string;
  readonly asOf: string;
}

const KEY = 'citewell.ask.runs';
const MAX_RUNS = 20;

/** The runs of this tab that had not ended when they were last heard of, oldest first. */
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
    // Without storage a reload shows what the conversation holds.
  }
}
