import type { Config } from '../config.ts';
import type { Interruption } from './interruption.ts';
import type { Output } from './output.ts';

/** What every command gets besides its own arguments. */
export interface CommandContext {
  readonly output: Output;
  readonly interruption: Interruption;
  /** Reads the configuration; throws the error that lists every wrong variable. */
  readonly config: (overrides?: Readonly<Record<string, string>>) => Promise<Config>;
}
