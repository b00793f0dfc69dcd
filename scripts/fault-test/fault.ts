import type { Trial } from './trial.ts';

/** One thing that goes wrong around the service, and what must hold meanwhile and afterwards. */
export interface Fault {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** Why it cannot be made on this machine; undefined when it can. */
  absence?(): Promise<string | undefined>;
  run(trial: Trial): Promise<void>;
}
