import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';

export interface CommandParts {
  readonly context: CommandContext;
  /** Called with the exit code of the command that ran. */
  readonly ended: (code: ExitCode) => void;
}
