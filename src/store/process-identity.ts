import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process by more than its number, which the system gives to another one after its death. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in the system's own words; only good for comparing. */
  readonly startTime: string;
}

/** This process. */
export async function currentProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: (await readStartTime(process.pid)) ?? 'unknown' };
}

/** True when that very process is alive; false as well when its number now belongs to another. */
export async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return (await readStartTime(pid)) === startTime;
}

/** When the process of that number began; undefined when there is none. */
export async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return await fromProc(pid);
    if (process.platform === 'win32') return await fromPowerShell(pid);
    return await fromPs(pid);
  } catch {
    return undefined;
  }
}

// Ticks since boot repeat after a restart of the machine, so the boot is part of it.
async function fromProc(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const ticks = fields[19];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  return `${boot.trim()}/${ticks}`;
}

const run = promisify(execFile);

async function fromPs(pid: number): Promise<string | undefined> {
  // Its time is local and in the user's language unless told otherwise.
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
