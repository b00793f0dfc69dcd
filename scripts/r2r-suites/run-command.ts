import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly withinMilliseconds: number;
  /** Called with the output as it is written, to show the progress of a long command. */
  readonly onOutput?: (text: string) => void;
}

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command at low priority, without settings and keys from the environment. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env = {}, withinMilliseconds, onOutput }: CommandOptions,
): Promise<CommandResult> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(CITEWELL_|R2R_|npm_)|_API_KEY$/.test(name));
  const child = spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(kept), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: withinMilliseconds,
    killSignal: 'SIGKILL',
  });
  if (child.pid !== undefined) setPriority(child.pid, 10);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      onOutput?.(text);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Like `runCommand`, but throws unless the exit code is 0. */
export async function runOrThrow(command: string, args: readonly string[], options: CommandOptions): Promise<void> {
  const { code, output } = await runCommand(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${output.slice(-2_000)}`);
}
