import type { ExecFileOptions } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Identifies a process by more than its process id, which the system reuses. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the system's own format; only for comparison. */
  readonly startTime: string;
}

/** This process. */
export async function currentProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: (await readStartTime(process.pid)) ?? 'unknown' };
}

/** True when that same process is alive; false when its process id now belongs to another. */
export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return (await readStartTime(pid)) === startTime;
}

/** Start time of the process with that id; undefined when there is none. */
export async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return fromProc(pid);
    if (process.platform === 'win32') return await fromPowerShell(pid);
    return await fromPs(pid);
  } catch {
    return undefined;
  }
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

// Ticks since boot repeat after a reboot, so the boot identifier is included.
function fromProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const boot = existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8') : '';
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const ticks = fields[19];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  return `${boot.trim()}/${ticks}`;
}

// Imported only when needed: most systems have /proc.
async function run(command: string, words: readonly string[], options: ExecFileOptions = {}) {
  const [{ execFile }, { promisify }] = await Promise.all([import('node:child_process'), import('node:util')]);
  return promisify(execFile)(command, words, { ...options, encoding: 'utf8' });
}

async function fromPs(pid: number): Promise<string | undefined> {
  // By default, ps prints local time in the user's language.
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
  });
  return stdout.trim() || undefined;
}

async function fromPowerShell(pid: number): Promise<string | undefined> {
  const command = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', command], {
    windowsHide: true,
  });
  return stdout.trim() || undefined;
}

/** The command line of a process, program and arguments; undefined if the system does not provide it. */
export async function readCommand(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    if (process.platform === 'win32') return undefined;
    const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
