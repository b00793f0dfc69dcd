import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

const PAGE_BYTES = 4_096;

/** Resident memory of a process and its children; 0 on systems without /proc. */
export function treeResidentBytes(pid: number): number {
  return processTree(pid).reduce((sum, each) => sum + residentBytes(each), 0);
}

/** Lets a process and its children run only when processes of normal priority leave time. */
export function lowerTreePriority(pid: number): void {
  for (const process of processTree(pid)) {
    for (const thread of threadsOf(process)) lowerPriority(thread);
  }
}

/** A process and its children; the process alone on systems without /proc. */
function processTree(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => processTree(Number(child))))];
  } catch {
    return [pid];
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** Linux gives each thread a priority of its own; other systems give one to the process. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

function lowerPriority(id: number): void {
  try {
    // A superuser's process may have a lower priority already, which this would raise.
    if (getPriority(id) < constants.priority.PRIORITY_BELOW_NORMAL) {
      setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
    }
  } catch {
    // It has already ended, or the system does not permit it.
  }
}
