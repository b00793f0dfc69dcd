import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** In megabytes. */
export interface MemorySample {
  readonly heap: number;
  readonly resident: number;
}

/** Memory in use after a garbage collection. */
export async function sampleMemory(): Promise<MemorySample> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // Twice with a pause: objects released by finalizers are collected the second time.
  for (let turn = 0; turn < 2; turn++) {
    if (typeof collect === 'function') collect();
    await sleep(200);
  }
  const { heapUsed, rss, external } = process.memoryUsage();
  return { heap: (heapUsed + external) / 1e6, resident: rss / 1e6 };
}

/** Allowed growth in the second half, in MB and as a share: caches fill, and load varies. */
const HEAP_MAY_GROW = { by: 30, share: 0.25 };
const RESIDENT_MAY_GROW = { by: 150, share: 0.25 };

export function memoryProblems(half: MemorySample, whole: MemorySample): readonly string[] {
  return [
    ...grown('The heap', half.heap, whole.heap, HEAP_MAY_GROW),
    ...grown('The resident memory', half.resident, whole.resident, RESIDENT_MAY_GROW),
  ];
}

function grown(what: string, before: number, after: number, { by, share }: typeof HEAP_MAY_GROW): string[] {
  const max = before + Math.max(by, before * share);
  return after <= max ? [] : [`${what} grew from ${Math.round(before)} to ${Math.round(after)} MB in the second half.`];
}
