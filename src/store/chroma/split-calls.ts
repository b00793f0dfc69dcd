import { ServiceError } from '../../errors.ts';
import type { CallLimits } from './call-limits.ts';

/** Records read in one call to a server without quotas. */
const PAGE_RECORDS = 5_000;

/**
 * Writes in batches of at most `size` or the server's limit, whichever is smaller. The batches run concurrently if the
 * server limits concurrent calls, otherwise one after the other. A batch that is rejected for its size is split.
 */
export async function writeInBatches<T>(
  limits: CallLimits,
  { items, size }: { readonly items: readonly T[]; readonly size: number },
  write: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  const { records, calls } = limits.quotas();
  const writeOne = async (batch: readonly T[]): Promise<void> => {
    try {
      await write(batch);
    } catch (error) {
      limits.learn(causeOf(error));
      if (batch.length <= limits.quotas().records) throw error;
      await writeInBatches(limits, { items: batch, size }, write);
    }
  };
  const batches = [...batchesOf(items, Math.min(size, records))];
  if (Number.isFinite(calls)) await allOf(batches.map(writeOne));
  else for (const batch of batches) await writeOne(batch);
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Reads in pages within the server's limit; concurrently if the server limits concurrent calls. */
export async function readInPages<T>(
  limits: CallLimits,
  { offset, limit }: Page,
  read: (page: Page) => Promise<readonly T[]>,
): Promise<T[]> {
  const { results, calls } = limits.quotas();
  const size = Math.min(PAGE_RECORDS, results);
  const pages: Page[] = [];
  for (let start = offset; start < offset + limit; start += size) {
    pages.push({ offset: start, limit: Math.min(size, offset + limit - start) });
  }
  const readOne = (page: Page) => readWhole(limits, page, read);
  if (Number.isFinite(calls)) return (await allOf(pages.map(readOne))).flat();
  const found: T[] = [];
  for (const page of pages) {
    const part = await readOne(page);
    for (const one of part) found.push(one);
    if (part.length < page.limit) break;
  }
  return found;
}

/** A server may silently return fewer records than requested, so only an empty response marks the end. */
async function readWhole<T>(
  limits: CallLimits,
  { offset, limit }: Page,
  read: (page: Page) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = [];
  while (found.length < limit) {
    const left = limit - found.length;
    const part = await withinResults(limits, left, (max) => read({ offset: offset + found.length, limit: max }));
    if (part.length === 0) break;
    for (const one of part) found.push(one);
  }
  return found;
}

/** Requests `wanted` results or as many as the server allows; retries if it turns out to allow fewer. */
export async function withinResults<T>(
  limits: CallLimits,
  wanted: number,
  ask: (limit: number) => Promise<T>,
): Promise<T> {
  const limit = Math.min(wanted, limits.quotas().results);
  try {
    return await ask(limit);
  } catch (error) {
    limits.learn(causeOf(error));
    if (limit <= limits.quotas().results) throw error;
    return withinResults(limits, wanted, ask);
  }
}

function* batchesOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Like `Promise.all`, but waits until all have settled, so that no call is still running after a failure. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

const causeOf = (error: unknown): unknown => (error instanceof ServiceError ? error.cause : error);
