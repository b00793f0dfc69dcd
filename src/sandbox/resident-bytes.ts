import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/** Resident memory of a process and its children; 0 on systems without /proc. */
export function treeResidentBytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map((child) => treeResidentBytes(Number(child)));
    return below.reduce((sum, bytes) => sum + bytes, pages * PAGE_BYTES);
  } catch {
    return 0;
  }
}
