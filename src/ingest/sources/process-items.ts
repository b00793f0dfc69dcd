import { mapConcurrently } from '../../shared/map-concurrently.ts';
import type { RemoteItem } from '../../sources/connector.ts';
import type { SourceItem } from '../../store/followed-sources.ts';
import { processItem } from './process-item.ts';
import type { PassParts, RemoteStep } from './sync-parts.ts';

const CONCURRENCY = 3;

/** Ingests the changed items of a batch. Returns whether all were settled: ingested, or remembered as failed. */
export async function* processBatch(
  batch: readonly RemoteItem[],
  parts: PassParts,
): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records, failed } = parts;
  // A listing may name an item twice; the last entry wins.
  const items = [...new Map(batch.map((item) => [item.key, item])).values()];
  const known = new Map(
    (
      await records.items(
        id,
        items.map(({ key }) => key),
      )
    ).map((item) => [item.key, item]),
  );
  const isSame = ({ key, version, uri }: RemoteItem) => {
    const before = known.get(key);
    return before?.version === version && before.uri === uri;
  };
  const same = items.filter(isSame);
  await records.saveItems(
    id,
    pass,
    same.map(({ key, uri, version }) => ({ key, uri, version, duplicateOf: known.get(key)?.duplicateOf ?? null })),
  );
  for (const { key } of same) yield { outcome: 'unchanged', name: key, documentId: null };
  const changed = items.filter((item) => !isSame(item));
  // Marked as seen before they are read, so that an item that fails does not count as removed.
  await records.saveItems(
    id,
    pass,
    changed.map(({ key, uri }) => ({ key, uri: known.get(key)?.uri ?? uri, version: null, duplicateOf: null })),
  );
  const failures = await failed.of(changed);
  const isWaiting = (item: RemoteItem) => failed.isWaiting(item, failures.get(item.key));
  for (const item of changed) if (isWaiting(item)) yield { outcome: 'waiting', name: item.key, documentId: null };
  return yield* processItems(
    changed.filter((item) => !isWaiting(item)),
    { known, failures },
    parts,
  );
}

/** Stored state and earlier failures of items, by key. */
interface Known {
  readonly known: ReadonlyMap<string, SourceItem>;
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Returns whether every item was settled. */
async function* processItems(
  items: readonly RemoteItem[],
  { known, failures }: Known,
  parts: PassParts,
): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records, failed } = parts;
  let isSettled = true;
  const process = async (item: RemoteItem) => ({ item, ...(await processItem(item, known.get(item.key), parts)) });
  parts.connector.prepare?.(items.filter(({ fileName }) => parts.isSupported(fileName)));
  const taken = mapConcurrently(each(items), CONCURRENCY, process);
  for await (const { step, item, version, duplicateOf = null, retryAfter } of taken) {
    const { key, uri } = item;
    if (step.outcome === 'failed') {
      isSettled = (await failed.remember(item, step.reason ?? '', retryAfter)) && isSettled;
    }
    await records.saveItems(id, pass, [{ key, uri, version, duplicateOf }]);
    // The item may have been compared with the earlier content of the document.
    if (duplicateOf !== null && parts.released.has(duplicateOf)) await parts.release(duplicateOf);
    if (step.outcome !== 'failed' && failures.has(key)) await failed.forget([key]);
    yield step;
  }
  return isSettled;
}

/** Retries failed items that are due and that this listing did not name. Returns whether all were settled. */
export async function* retryFailed(parts: PassParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, records, failed, signal } = parts;
  let isSettled = true;
  for await (const items of failed.due()) {
    signal.throwIfAborted();
    const keys = items.map(({ key }) => key);
    const known = new Map((await records.items(id, keys)).map((item) => [item.key, item]));
    // The others were ingested meanwhile, or are gone.
    const isOpen = ({ key }: RemoteItem) => known.get(key)?.version === null;
    await failed.forget(items.filter((item) => !isOpen(item)).map(({ key }) => key));
    const open = items.filter(isOpen);
    const failures = new Map(open.map((item) => [item.key, item]));
    isSettled = (yield* processItems(open, { known, failures }, parts)) && isSettled;
  }
  return isSettled;
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}
