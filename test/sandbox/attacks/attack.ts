import type { PythonEnd } from '../../../src/sandbox/sandbox.ts';

/** One attempt on the sandbox. Every attempt is also checked for what must never happen; see attacks.test.ts. */
export interface Attack {
  /** What it tries, as the end of a sentence that begins with "holds against". */
  readonly name: string;
  /** Has the variables `port` (a server of the host), `canary_file` and `host_pid`. */
  readonly code: string;
  /** How it may end; anything but a timeout when left out. */
  readonly ends?: readonly PythonEnd[];
  /** What its value, its output or its error must say. */
  readonly shows?: RegExp;
  /** What they must not say. */
  readonly hides?: RegExp;
  /** Runs out of its time, or spoils the interpreter it runs in: gets one of its own. */
  readonly isAlone?: boolean;
}

export const alone = (attack: Omit<Attack, 'isAlone'>): Attack => ({ ...attack, isAlone: true });

/** Ways that only an interpreter ended from outside leaves; none of them is a failure of the sandbox. */
export const killed = ['timeout', 'memory', 'crash'] as const;
