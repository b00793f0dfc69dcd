import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, type ProcessIdentity, readStartTime } from '../process-identity.ts';

const TERM_GRACE_MS = 1_800;
const KILL_GRACE_MS = 2_000;
const POLL_MS = 20;

const record = z.object({ pid: z.number().int().positive(), startTime: z.string().min(1) });

/** Remembers the server's process in `file`, so that the next start can end it should nobody else have. */
export async function recordServer(file: string, pid: number): Promise<void> {
  const startTime = await readStartTime(pid);
  if (startTime === undefined) return;
  const identity: ProcessIdentity = { pid, startTime };
  await writeFile(`${file}.new`, JSON.stringify(identity));
  await rename(`${file}.new`, file);
}

/** Ends the server recorded in `file` if that very process is still alive; resolves true when there was one. */
export async function endLeftover(file: string): Promise<boolean> {
  const leftover = await readRecord(file);
  const wasAlive = leftover !== undefined && (await isAlive(leftover));
  if (wasAlive) {
    signal(leftover.pid, 'SIGTERM');
    if (!(await isGone(leftover, TERM_GRACE_MS))) {
      signal(leftover.pid, 'SIGKILL');
      await isGone(leftover, KILL_GRACE_MS);
    }
  }
  await rm(file, { force: true });
  return wasAlive;
}

async function readRecord(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return record.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Absent, or cut off by a crash: then the closed standard input must have ended the server.
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in between.
  }
}

async function isGone(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const begun = performance.now();
  while (await isAlive(identity)) {
    if (performance.now() - begun > withinMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}
