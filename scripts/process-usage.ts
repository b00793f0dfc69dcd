import { readFile } from 'node:fs/promises';
import { descendantsOf } from '../test/support/descendants.ts';

const PAGE_BYTES = 4096;
const TICKS_PER_SECOND = 100;

interface ProcessUsage {
  /** Resident memory of the running processes. */
  readonly bytes: number;
  /** Processor time so far, also of descendants that have ended. */
  readonly seconds: number;
}

/** Resources of a process and its descendants; Linux only. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  let [bytes, ticks] = [0, 0];
  for (const each of [pid, ...(await descendantsOf(pid)).map((child) => child.pid)]) {
    const stat = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and cutime and cstime, which have the times of children that have ended.
    for (const field of fields.slice(11, 15)) ticks += Number(field);
    bytes += Number(fields[21] ?? 0) * PAGE_BYTES;
  }
  return { bytes, seconds: ticks / TICKS_PER_SECOND };
}
