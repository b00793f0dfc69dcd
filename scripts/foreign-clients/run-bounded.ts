import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface BoundedOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly withinMs: number;
}

/** Leaders of process groups that may still be running. */
const groups = new Set<number>();
process.once('exit', () => groups.forEach(killGroup));

/**
 * Runs a command in its own process group and returns its stdout. The group is killed when the command ends or times
 * out, so that none of its child processes keep running. Throws if the command fails.
 */
export async function runBounded(
  command: string,
  args: readonly string[],
  { cwd, env, withinMs }: BoundedOptions,
): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (pid !== undefined) killGroup(pid);
  }, withinMs);
  try {
    const closed = once(child, 'close');
    // Kills the rest of the group, because `close` fires only after all processes have closed the pipes.
    if (pid !== undefined) child.once('exit', () => killGroup(pid));
    const [code] = (await closed) as [number | null];
    if (isLate) throw new Error(`it did not end within ${withinMs / 1_000} s${tail(output)}`);
    if (code !== 0) throw new Error(`it ended with code ${code}${tail(output)}`);
    return output.stdout;
  } finally {
    clearTimeout(timer);
    if (pid !== undefined) groups.delete(pid);
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

function tail({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const text = `${stderr}\n${stdout}`.trim();
  return text === '' ? '' : `: ${text.slice(-400)}`;
}
