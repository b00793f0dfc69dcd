import { readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { writeWholeFile } from '../../shared/write-whole-file.ts';
import { isAlive, type ProcessIdentity, readCommand, readStartTime } from '../process-identity.ts';

const TERM_GRACE_MS = 1_800;
const KILL_GRACE_MS = 2_000;
const POLL_MS = 20;

const record = z.object({
  pid: z.number().int().positive(),
  startTime: z.string().min(1),
  /**
   * Identity of the folder it serves: a copy of the folder includes a copy of this record, but has another identity.
   */
  folder: z.string().optional(),
});
type ServerRecord = z.output<typeof record>;

export interface RecordedServer {
  /** Path of the record. */
  readonly file: string;
  /** The folder the server keeps its files in. */
  readonly folder: string;
}

/** Records the server's process, so that the next start can end it if it is still running. */
export async function recordServer({ file, folder }: RecordedServer, pid: number): Promise<void> {
  const startTime = await readStartTime(pid);
  if (startTime === undefined) return;
  const identity: ServerRecord = { pid, startTime, folder: await folderIdentity(folder) };
  await writeWholeFile(file, JSON.stringify(identity));
}

/**
 * Ends the recorded server if that same process is still alive, is a server, and serves this folder; resolves true when
 * there was one. The record may have been copied with the folder, or have been written by someone else.
 */
export async function endLeftover({ file, folder }: RecordedServer): Promise<boolean> {
  const leftover = await readRecord(file);
  const wasAlive = leftover !== undefined && (await isAlive(leftover)) && (await serves(leftover, folder));
  if (wasAlive) {
    signal(leftover.pid, 'SIGTERM');
    // A stopped process handles no signals until it is continued.
    if (process.platform !== 'win32') signal(leftover.pid, 'SIGCONT');
    if (!(await isGone(leftover, TERM_GRACE_MS))) {
      signal(leftover.pid, 'SIGKILL');
      await isGone(leftover, KILL_GRACE_MS);
    }
  }
  await rm(file, { force: true });
  return wasAlive;
}

async function serves({ pid, folder: recorded }: ServerRecord, folder: string): Promise<boolean> {
  if (recorded !== undefined && recorded !== (await folderIdentity(folder))) return false;
  const command = await readCommand(pid);
  if (command === undefined) return recorded !== undefined;
  // Records of earlier versions contain no folder, but the folder's path is in the process's command line.
  return command.includes('server-process') && (recorded !== undefined || command.includes(folder));
}

/** Device and inode: unchanged when the folder is moved, different for a copy. */
async function folderIdentity(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

async function readRecord(file: string): Promise<ServerRecord | undefined> {
  try {
    return record.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Absent, or truncated by a crash: the server then ended when its standard input closed.
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process ended in the meantime.
  }
}

async function isGone(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const startedAt = performance.now();
  while (await isAlive(identity)) {
    if (performance.now() - startedAt > withinMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}
