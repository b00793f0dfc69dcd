import { ServiceError } from '../../errors.ts';
import type { Listed, RemoteItem } from '../../sources/connector.ts';
import { DELETED_TOGETHER } from '../folders/folder-target.ts';
import { itemProblem, MAX_KEY_BYTES, nameProblem } from './check-item.ts';
import { rememberFailures } from './failed-items.ts';
import { listAhead } from './list-ahead.ts';
import { processBatch, retryFailed } from './process-items.ts';
import { removeItems, removeUnseen } from './remove-items.ts';
import type { PassParts, RemoteStep, RemoteSyncParts, SyncParts } from './sync-parts.ts';

const BATCH = 200;
const MAX_ITEMS = 1_000_000;

/**
 * Synchronises the documents with the items that the source lists. Unchanged items are not read. Progress is recorded
 * in batches, so that an interrupted synchronisation does not read finished items again. Documents are removed only
 * after a complete, non-empty listing. If a document is removed or its content changes, another item with the same
 * content, such as a moved file, is ingested in its place. A failed item is remembered and retried even if no later
 * listing names it. Throws errors that concern the whole source.
 */
export async function* syncRemote(given: RemoteSyncParts): AsyncGenerator<RemoteStep, void> {
  const parts: SyncParts = { ...given, failed: rememberFailures(given) };
  const hasReleased = yield* listOnce(parts);
  if (!hasReleased) return;
  for await (const step of listOnce({ ...parts, pass: `${parts.pass} again`, isFull: true, onListed: undefined })) {
    if (step.outcome !== 'unchanged' && step.outcome !== 'waiting') yield step;
  }
}

/**
 * Synchronises one listing. Returns whether items must be read again because the document that held their content was
 * removed or changed.
 */
async function* listOnce(given: SyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, connector, records, signal, onListed } = given;
  let hasReleased = false;
  const released = new Set<string>();
  const parts: PassParts = {
    ...given,
    released,
    async release(documentId) {
      released.add(documentId);
      if (await records.releaseDuplicates(documentId)) hasReleased = true;
    },
  };
  const cursor = parts.isFull && connector.needsCursor !== true ? undefined : await records.cursorOf(id);
  let end: Extract<Listed, { kind: 'end' }> | undefined;
  /** False once a part of the source could not be listed. */
  let isWhole = true;
  /** False once an item failed and its failure could not be remembered. */
  let isSettled = true;
  let listed = 0;
  let batch: RemoteItem[] = [];
  const gone = new Set<string>();
  for await (const each of listAhead((limited) => connector.list(cursor, limited), { signal, onListed })) {
    signal.throwIfAborted();
    if (each.kind === 'end') end = each;
    else if (each.kind === 'failed') {
      isWhole = false;
      yield { outcome: 'failed', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'skipped') {
      yield { outcome: 'skipped', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'unknown') {
      await keepItem(each.key, parts);
      yield { outcome: 'failed', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'removed') {
      gone.add(each.key);
      if (gone.size < DELETED_TOGETHER) continue;
      yield* removeGone(gone, parts);
    } else if (++listed > MAX_ITEMS) {
      throw new ServiceError(
        'too_large',
        `The source lists more than ${MAX_ITEMS.toLocaleString('en')} items. Follow a part of it.`,
      );
    } else {
      const problem = itemProblem(each);
      if (problem !== undefined) {
        if (nameProblem(each) === undefined) await keepItem(each.key, parts);
        yield { outcome: 'failed', name: each.key.slice(0, MAX_KEY_BYTES), documentId: null, reason: problem };
        continue;
      }
      batch.push(each);
      if (batch.length < BATCH) continue;
      yield* removeGone(gone, parts);
      isSettled = (yield* processBatch(batch, parts)) && isSettled;
      batch = [];
    }
  }
  yield* removeGone(gone, parts);
  isSettled = (yield* processBatch(batch, parts)) && isSettled;
  signal.throwIfAborted();
  if (end === undefined) throw new ServiceError('provider_failed', 'The listing ended early, so nothing was removed.');
  if (end.covers === 'all' && isWhole) yield* removeUnseen(listed, parts);
  isSettled = (yield* retryFailed(parts)) && isSettled;
  // Otherwise the cursor is kept, so that the next listing names the unfinished items again.
  if (isWhole && isSettled && !hasReleased) await records.saveCursor(id, end.cursor);
  return hasReleased;
}

/** Removes the items that the listing named as removed, before the items that it named meanwhile are read. */
async function* removeGone(keys: Set<string>, parts: PassParts): AsyncGenerator<RemoteStep, void> {
  if (keys.size > 0) yield* removeItems(await parts.records.items(parts.id, [...keys]), parts);
  keys.clear();
}

/** Marks an item that still exists as seen in this pass, without changing its stored state. */
const keepItem = async (key: string, { id, pass, records }: PassParts): Promise<void> =>
  records.saveItems(id, pass, await records.items(id, [key]));
