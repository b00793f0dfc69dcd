import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A Chroma server, found in the process list of the system. */
export interface ChromaProcess {
  readonly pid: number;
  readonly port: number;
}

/** The embedded Chroma servers on this data folder. */
export async function chromasOn(dataFolder: string): Promise<readonly ChromaProcess[]> {
  const lists = await (process.platform === 'linux' ? fromProc() : fromPs());
  return lists.flatMap(({ pid, words }) => {
    const port = Number(words.at(-1));
    const isOurs = words.some((word) => word.includes('server-process')) && words.includes(`${dataFolder}/chroma`);
    return isOurs && Number.isInteger(port) ? [{ pid, port }] : [];
  });
}

interface Listed {
  readonly pid: number;
  readonly words: readonly string[];
}

async function fromProc(): Promise<Listed[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const listed = await Promise.all(
    pids.map(async (pid) => {
      // A process that has ended, or a zombie, has no command line.
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), words: line.split('\0').filter((word) => word !== '') };
    }),
  );
  return listed.filter(({ words }) => words.length > 0);
}

async function fromPs(): Promise<Listed[]> {
  const { stdout } = await promisify(execFile)('ps', ['-Ao', 'pid=,args='], { maxBuffer: 2 ** 25 });
  return stdout.split('\n').map((line) => {
    const [pid, ...words] = line.trim().split(/\s+/);
    return { pid: Number(pid), words };
  });
}

/** Sends SIGKILL; false if the process had ended already. */
export function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** True as soon as the condition holds, false after the time limit. */
export async function within(milliseconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  const startedAt = performance.now();
  for (;;) {
    if (await holds()) return true;
    if (performance.now() - startedAt > milliseconds) return false;
    await sleep(50);
  }
}
