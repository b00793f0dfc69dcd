import { readFile } from 'node:fs/promises';
import { descendantsOf } from '../test/support/descendants.ts';

const PAGE_BYTES = 4096;
const TICKS_PER_SECOND = 100;

interface ProcessUsage {
  /** Resident memory. */
  readonly bytes: number;
  /** Processor time so far. */
  readonly seconds: number;
}

/** Resources of a process and its descendants, as far as they are running; Linux only. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  let [bytes, ticks] = [0, 0];
  for (const each of [pid, ...(await descendantsOf(pid)).map((child) => child.pid)]) {
    const stat = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    bytes += Number(fields[21] ?? 0) * PAGE_BYTES;
  }
  return { bytes, seconds: ticks / TICKS_PER_SECOND };
}
