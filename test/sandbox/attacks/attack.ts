import type { PythonEnd } from '../../../src/sandbox/sandbox.ts';

/** One attack on the sandbox. Every attack is also checked for forbidden effects; see attacks.test.ts. */
export interface Attack {
  /** The attack's name, completing the title "holds against …". */
  readonly name: string;
  /** Python code; the variables `port` (a server of the host), `canary_file` and `host_pid` are set. */
  readonly code: string;
  /** Permitted ends; by default all except a time-out. */
  readonly ends?: readonly PythonEnd[];
  /** Pattern its value, output or error must match. */
  readonly shows?: RegExp;
  /** Pattern they must not match. */
  readonly hides?: RegExp;
  /** True for an attack that times out or damages its interpreter, which then gets one of its own. */
  readonly isAlone?: boolean;
}

export const alone = (attack: Omit<Attack, 'isAlone'>): Attack => ({ ...attack, isAlone: true });

/** Ends of an interpreter that was killed; none of them is a failure of the sandbox. */
export const killed = ['timeout', 'memory', 'crash'] as const;
