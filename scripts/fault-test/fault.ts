import type { Trial } from './trial.ts';

/** An injected fault, and what must hold during and after it. */
export interface Fault {
  /** Name for `--only`. */
  readonly name: string;
  readonly title: string;
  /** Why it cannot be injected on this machine; undefined if it can. */
  absence?(): Promise<string | undefined>;
  run(trial: Trial): Promise<void>;
}
