import type { Config } from '../config.ts';
import type { ContinuedSession } from './attach-mcp.ts';
import type { Interruption } from './interruption.ts';
import type { Output } from './output.ts';

export interface ConfigOptions {
  /** Variables set by options of the command. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** False if someone else chooses the working folder; its `.env` is then not read. */
  readonly readsWorkingFolder?: boolean;
}

/** What every command receives besides its own arguments. */
export interface CommandContext {
  readonly output: Output;
  readonly interruption: Interruption;
  /** For `mcp`: the session to continue, instead of one over stdin and stdout. */
  readonly session?: ContinuedSession;
  /** Reads the configuration; throws the error that lists every wrong variable. */
  readonly config: (options?: ConfigOptions) => Promise<Config>;
}
