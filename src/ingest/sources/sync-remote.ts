import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import type { Listed, RemoteItem, SourceConnector } from '../../sources/connector.ts';
import { patiently } from '../../sources/patiently.ts';
import type { FollowedSourceRecords, SourceItem } from '../../store/followed-sources.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import { mapConcurrently } from '../folders/map-concurrently.ts';
import { type FailedItemParts, type FailedItems, rememberFailures } from './failed-items.ts';

/** What became of one item; `waiting`: it failed before, and is tried again in a later synchronisation. */
export interface RemoteStep {
  readonly outcome:
    | 'ingested'
    | 'replaced'
    | 'unchanged'
    | 'duplicate'
    | 'failed'
    | 'waiting'
    | 'removed'
    | 'kept'
    | 'skipped';
  readonly name: string;
  readonly documentId: string | null;
  readonly reason?: string;
}

export interface RemoteSyncParts extends Pick<FailedItemParts, 'now'> {
  readonly id: string;
  /** Names this synchronisation; another one has another name. */
  readonly pass: string;
  readonly connector: SourceConnector;
  readonly records: Pick<
    FollowedSourceRecords,
    | 'cursorOf'
    | 'saveCursor'
    | 'items'
    | 'saveItems'
    | 'unseen'
    | 'hasItems'
    | 'removeItems'
    | 'isOfOthers'
    | 'releaseDuplicates'
  > &
    FailedItemParts['records'];
  readonly target: Pick<FolderTarget, 'ingest' | 'documentOf' | 'updateSource' | 'deleteDocument'>;
  /** Lists everything although a cursor is known, and tries all again that failed. */
  readonly isFull: boolean;
  readonly keepDeleted: boolean;
  readonly maxBytes: number;
  /** The names of files that can be read. */
  readonly isSupported: (fileName: string) => boolean;
  readonly signal: AbortSignal;
}

interface SyncParts extends RemoteSyncParts {
  readonly failed: FailedItems;
}

interface PassParts extends SyncParts {
  /** A document is gone, or has other content now: items that shared its content are read again. */
  release(documentId: string): Promise<void>;
  /** Documents that were released in this pass. */
  readonly released: ReadonlySet<string>;
}

const BATCH = 200;
const CONCURRENCY = 3;
const MAX_ITEMS = 1_000_000;
const MAX_KEY_BYTES = 1_000;
const MAX_URI = 4_000;

/**
 * Brings the documents in step with what the source lists. Unchanged items are not read. What was done is recorded in
 * batches, so that a synchronisation that was interrupted does not read them again. Documents are removed only after a
 * complete listing that is not empty. When one is, or gets other content, and another item had the same, such as a file
 * that was moved, that item is taken in instead. An item that fails is remembered and tried again, also if no listing
 * names it again. Throws what concerns the whole source.
 */
export async function* syncRemote(given: RemoteSyncParts): AsyncGenerator<RemoteStep, void> {
  const parts: SyncParts = { ...given, failed: rememberFailures(given) };
  const hasReleased = yield* listOnce(parts);
  if (!hasReleased) return;
  for await (const step of listOnce({ ...parts, pass: `${parts.pass} again`, isFull: true })) {
    if (step.outcome !== 'unchanged' && step.outcome !== 'waiting') yield step;
  }
}

/** Whether items have to be read again because the document with their content was removed, or got other content. */
async function* listOnce(given: SyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, connector, records, signal } = given;
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
  /** Whether no part of the listing is missing. */
  let isWhole = true;
  /** Whether every item was taken in, or its failure is remembered. */
  let isSettled = true;
  let listed = 0;
  let batch: RemoteItem[] = [];
  for await (const each of connector.list(cursor, signal)) {
    signal.throwIfAborted();
    if (each.kind === 'end') end = each;
    else if (each.kind === 'failed') {
      isWhole = false;
      yield { outcome: 'failed', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'skipped') {
      yield { outcome: 'skipped', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'removed') {
      const known = await records.items(id, [each.key]);
      for (const item of known) yield* removeItem(item, parts);
    } else if (++listed > MAX_ITEMS) {
      throw new ServiceError(
        'too_large',
        `The source lists more than ${MAX_ITEMS.toLocaleString('en')} items. Follow a part of it.`,
      );
    } else {
      const problem = problemOf(each);
      if (problem !== undefined) {
        // What is known of it stays, since it is there.
        if (nameProblem(each) === undefined) await records.saveItems(id, pass, await records.items(id, [each.key]));
        yield { outcome: 'failed', name: each.key.slice(0, MAX_KEY_BYTES), documentId: null, reason: problem };
        continue;
      }
      batch.push(each);
      if (batch.length < BATCH) continue;
      isSettled = (yield* takeBatch(batch, parts)) && isSettled;
      batch = [];
    }
  }
  isSettled = (yield* takeBatch(batch, parts)) && isSettled;
  signal.throwIfAborted();
  if (end === undefined) throw new ServiceError('provider_failed', 'The listing ended early, so nothing was removed.');
  if (end.covers === 'all' && isWhole) yield* removeUnseen(listed, parts);
  isSettled = (yield* retryFailed(parts)) && isSettled;
  // Failures that are not remembered must be listed again.
  if (isWhole && isSettled && !hasReleased) await records.saveCursor(id, end.cursor);
  return hasReleased;
}

function nameProblem({ key }: RemoteItem): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'Its name is too long.';
  return key === '' || /\p{Cc}/u.test(key) ? 'Its name has control characters, or it has none.' : undefined;
}

function problemOf(item: RemoteItem): string | undefined {
  const { uri, version } = item;
  if (uri.length > MAX_URI) return 'Its name is too long.';
  if (version === '') return 'The source does not say which version of it is there.';
  return nameProblem(item) ?? (URL.canParse(uri) ? undefined : 'Its address is none.');
}

/** Whether every item was settled: taken in, or remembered as failed. */
async function* takeBatch(batch: readonly RemoteItem[], parts: PassParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records, failed } = parts;
  // A listing may name an item twice; the last is what it is now.
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
  // Seen already, so that an item that fails is not taken as gone.
  await records.saveItems(
    id,
    pass,
    changed.map(({ key, uri }) => ({ key, uri: known.get(key)?.uri ?? uri, version: null, duplicateOf: null })),
  );
  const failures = await failed.of(changed);
  const isWaiting = (item: RemoteItem) => failed.isWaiting(item, failures.get(item.key));
  for (const item of changed) if (isWaiting(item)) yield { outcome: 'waiting', name: item.key, documentId: null };
  return yield* takeItems(
    changed.filter((item) => !isWaiting(item)),
    { known, failures },
    parts,
  );
}

/** What is known of items, by their keys. */
interface Known {
  readonly known: ReadonlyMap<string, SourceItem>;
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Whether every item was settled. */
async function* takeItems(
  items: readonly RemoteItem[],
  { known, failures }: Known,
  parts: PassParts,
): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records, failed } = parts;
  let isSettled = true;
  const take = async (item: RemoteItem) => ({ item, ...(await takeItem(item, known.get(item.key), parts)) });
  parts.connector.prepare?.(items.filter(({ fileName }) => parts.isSupported(fileName)));
  const taken = mapConcurrently(each(items), CONCURRENCY, take);
  for await (const { step, item, version, duplicateOf = null, retryAfter } of taken) {
    const { key, uri } = item;
    if (step.outcome === 'failed') {
      isSettled = (await failed.remember(item, step.reason ?? '', retryAfter)) && isSettled;
    }
    await records.saveItems(id, pass, [{ key, uri, version, duplicateOf }]);
    // It was compared with what the document was before.
    if (duplicateOf !== null && parts.released.has(duplicateOf)) await parts.release(duplicateOf);
    if (step.outcome !== 'failed' && failures.has(key)) await failed.forget([key]);
    yield step;
  }
  return isSettled;
}

/** Items that failed earlier and are due, and which this listing did not name. */
async function* retryFailed(parts: PassParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, records, failed, signal } = parts;
  let isSettled = true;
  for await (const items of failed.due()) {
    signal.throwIfAborted();
    const keys = items.map(({ key }) => key);
    const known = new Map((await records.items(id, keys)).map((item) => [item.key, item]));
    // Others were taken in meanwhile, or are gone.
    const isOpen = ({ key }: RemoteItem) => known.get(key)?.version === null;
    await failed.forget(items.filter((item) => !isOpen(item)).map(({ key }) => key));
    const open = items.filter(isOpen);
    const failures = new Map(open.map((item) => [item.key, item]));
    isSettled = (yield* takeItems(open, { known, failures }, parts)) && isSettled;
  }
  return isSettled;
}

/** The document of what the item was before is no longer what is there. */
async function dropDocument(before: SourceItem | undefined, parts: PassParts): Promise<void> {
  const { target, keepDeleted } = parts;
  const document = before === undefined || keepDeleted ? undefined : await target.documentOf(before.uri);
  if (document === undefined) return;
  await target.deleteDocument(document.id);
  await parts.release(document.id);
}

/** Gives the document of an item the address that the item has now. */
async function moveDocument(item: RemoteItem, before: SourceItem | undefined, parts: PassParts): Promise<void> {
  const { target, keepDeleted } = parts;
  if (before === undefined || before.uri === item.uri) return;
  const [document, other] = await Promise.all([target.documentOf(before.uri), target.documentOf(item.uri)]);
  if (document === undefined) return;
  if (other === undefined) await target.updateSource(document.id, { source: item.uri, fileName: item.fileName });
  else if (!keepDeleted) {
    await target.deleteDocument(document.id);
    await parts.release(document.id);
  }
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}

interface Taken extends Pick<SourceItem, 'version'> {
  readonly step: RemoteStep;
  readonly duplicateOf?: string | null;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

async function takeItem(item: RemoteItem, before: SourceItem | undefined, parts: PassParts): Promise<Taken> {
  const { key, version } = item;
  try {
    if (!parts.isSupported(item.fileName)) {
      await dropDocument(before, parts);
      return { step: { outcome: 'skipped', name: key, documentId: null }, version };
    }
    await moveDocument(item, before, parts);
    const step = await ingestItem(item, parts);
    const isChanged = step.outcome === 'replaced' || step.outcome === 'failed';
    if (isChanged && step.documentId !== null) await parts.release(step.documentId);
    if (step.outcome === 'duplicate') return { step, version, duplicateOf: step.documentId };
    return { step, version: step.outcome === 'failed' ? null : version };
  } catch (error) {
    if (parts.signal.aborted || !(error instanceof ServiceError) || concernsAll(error)) throw error;
    const reason = error.message;
    if (error.code === 'unsupported_type') {
      await dropDocument(before, parts);
      return { step: { outcome: 'skipped', name: key, documentId: null, reason }, version };
    }
    return {
      step: { outcome: 'failed', name: key, documentId: null, reason },
      version: null,
      retryAfter: error.retryAfter,
    };
  }
}

async function ingestItem(item: RemoteItem, { connector, target, maxBytes, signal }: RemoteSyncParts) {
  const { size, uri, title, link, modified } = item;
  if (size !== undefined && size > maxBytes) {
    throw new ServiceError(
      'too_large',
      `It has ${byteCount(size)}; at most ${byteCount(maxBytes)} are read (CITEWELL_MAX_FILE_MB).`,
    );
  }
  const content = await patiently(() => connector.read(item, { maxBytes, signal }), signal);
  const { outcome, documentId, reason } = await target.ingest(
    {
      source: uri,
      fileName: content.fileName ?? item.fileName,
      bytes: content.bytes,
      ...(content.mediaType !== undefined && { mediaType: content.mediaType }),
      metadata: {
        ...item.metadata,
        ...(title !== undefined && { title }),
        ...(link !== undefined && { link }),
        ...(modified !== undefined && { modified_at: modified }),
      },
      collections: [],
    },
    signal,
  );
  return { outcome, name: item.key, documentId, ...(reason !== undefined && { reason }) } satisfies RemoteStep;
}

const concernsAll = ({ code }: ServiceError): boolean =>
  ['unauthenticated', 'store_failed', 'embedding_mismatch', 'not_configured', 'cancelled', 'internal'].includes(code);

async function* removeUnseen(listed: number, parts: PassParts): AsyncGenerator<RemoteStep, void> {
  const { id, pass, records, signal } = parts;
  if (listed === 0) {
    if (!(await records.hasItems(id))) return;
    yield {
      outcome: 'kept',
      name: id,
      documentId: null,
      reason: 'The source lists nothing any more, as when access to it was narrowed, so its documents are kept.',
    };
    return;
  }
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await records.unseen(id, pass, { limit: BATCH, ...(after !== undefined && { after }) });
    for (const item of page) yield* removeItem(item, parts);
    after = page.at(-1)?.key;
    if (page.length < BATCH) return;
  }
}

async function* removeItem(item: SourceItem, parts: PassParts): AsyncGenerator<RemoteStep, void> {
  const { id, records, target, keepDeleted } = parts;
  // A page that moved may be there in another source.
  const isKept = keepDeleted || (await records.isOfOthers(id, item));
  const document = isKept ? undefined : await target.documentOf(item.uri);
  if (document !== undefined) {
    await target.deleteDocument(document.id).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    });
    yield { outcome: 'removed', name: item.key, documentId: document.id };
  }
  await records.removeItems(id, [item.key]);
  if (document !== undefined) await parts.release(document.id);
}
