import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import { readVersion } from '../version.ts';
import type { ContinuedSession } from './attach-mcp.ts';
import type { ConfigOptions } from './command-context.ts';
import { type ExitCode, exitCodeFor, exitCodes } from './exit-codes.ts';
import { type Interruption, listenForInterruption } from './interruption.ts';
import { endOnBrokenPipe, type Output, processOutput } from './output.ts';
import { createProgram } from './program.ts';

/** Runs the command line and sets the exit code. `session`: see attach-mcp.ts. */
export async function main(process: NodeJS.Process, session?: ContinuedSession): Promise<void> {
  const output = processOutput(process.stdout, process.stderr);
  const interruption = listenForInterruption(process, {
    force: (signal) => process.exit(signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated),
  });
  endOnBrokenPipe(process.stdout, interruption.onBrokenPipe);
  endOnBrokenPipe(process.stderr, interruption.onBrokenPipe);
  const args = process.argv.slice(2);
  // Settings are still resolved in the package's folder, which has the `.env` file and the data folder.
  const cwd = process.cwd();
  const workingFolder = userWorkingFolder(args, process);
  if (workingFolder !== undefined) process.chdir(workingFolder);
  const command = createCommand(args, { output, interruption, cwd, ...(session && { session }) });
  // An unhandled failure is a defect; the state of the process is undefined afterwards.
  process.on('uncaughtException', (error) => {
    command.complain(error);
    process.exit(exitCodes.failure);
  });
  const code = await command.run();
  interruption.dispose();
  process.exitCode = code;
}

/**
 * The folder from which a person ran a script of this package (`npm run cli -- ingest papers`), because npm changes to
 * the package's folder first. Undefined for scripts of other packages, whose paths are relative to that package, and
 * for `mcp`, which is not started by hand.
 */
export function userWorkingFolder(
  [name]: readonly string[],
  { env, cwd: currentFolder }: Pick<NodeJS.Process, 'env' | 'cwd'>,
): string | undefined {
  const { INIT_CWD: folder, npm_package_name: caller, npm_lifecycle_event: script } = env;
  const cwd = currentFolder();
  const isOwnScript = caller === 'citewell' && script !== undefined && script !== 'npx';
  if (!isOwnScript || name === 'mcp' || !folder || folder === cwd) return undefined;
  return existsSync(folder) && existsSync(join(cwd, 'src', 'cli', 'citewell.js')) ? folder : undefined;
}

interface CommandEnvironment {
  readonly output: Output;
  readonly interruption: Interruption;
  readonly session?: ContinuedSession;
  /** Environment variables; those of the process by default. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

interface Command {
  /** Reports the error on stderr. */
  complain(error: unknown): void;
  run(): Promise<ExitCode>;
}

/** The command that these arguments name. */
export function createCommand(args: readonly string[], environment: CommandEnvironment): Command {
  const { output, interruption, session, env, cwd } = environment;
  const wantsJson = args.includes('--json');
  let config: Config | undefined;
  const complain = (error: unknown) => {
    if (wantsJson) output.note(JSON.stringify({ error: describe(error) }));
    else output.note(`${output.noteStyle('red', 'citewell:')} ${describe(error).message}`);
    const isDebugging = config?.logLevel === 'debug' || config?.logLevel === 'trace';
    if (isDebugging && error instanceof Error) output.note(error.stack);
  };
  let envFile: () => string | undefined = () => undefined;
  const readConfig = async (options: ConfigOptions = {}) => {
    if (config === undefined) {
      const { loadConfig } = await import('../config.ts');
      config = loadConfig({ ...(env && { env }), ...(cwd && { cwd }), ...options, envFile: envFile() });
      for (const warning of config.warnings) output.note(output.noteStyle('yellow', `warning: ${warning}`));
    }
    return config;
  };
  return {
    complain,
    async run() {
      let code: ExitCode = exitCodes.ok;
      try {
        const program = createProgram({
          version: readVersion(),
          context: { output, interruption, config: readConfig, ...(session && { session }) },
          ended: (ended) => {
            code = ended;
          },
        });
        envFile = () => {
          const { settings, envFile: earlier } = program.opts<{
            readonly settings?: string;
            readonly envFile?: string;
          }>();
          return settings ?? earlier;
        };
        await program.parseAsync(args, { from: 'user' });
      } catch (error) {
        code = codeOf(error, interruption);
        if (!(error instanceof CommanderError) && code !== exitCodes.ok) complain(error);
      }
      return code;
    },
  };
}

function codeOf(error: unknown, interruption: Interruption): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  switch (interruption.received()) {
    case 'SIGINT':
      return exitCodes.interrupted;
    case 'SIGTERM':
      return exitCodes.terminated;
    // The reader closed the pipe, which is not a failure.
    case 'EPIPE':
      return exitCodes.ok;
    case undefined:
      return error instanceof ServiceError ? exitCodeFor(error.code) : exitCodes.failure;
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof ServiceError) return { code: error.code, message: error.message };
  if (error instanceof Error && error.name === 'AbortError') return { code: 'cancelled', message: 'Interrupted.' };
  const message = errorMessage(error);
  return { code: 'internal', message: `${message} (CITEWELL_LOG_LEVEL=debug shows where)` };
}
