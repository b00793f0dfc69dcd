import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';

export interface CommandParts {
  readonly context: CommandContext;
  /** Told what the command that ran ended with. */
  readonly ended: (code: ExitCode) => void;
}
