import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import type { Listed, RemoteItem, SourceConnector } from '../../sources/connector.ts';
import { patiently } from '../../sources/patiently.ts';
import type { FollowedSourceRecords, SourceItem } from '../../store/followed-sources.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import { mapConcurrently } from '../folders/map-concurrently.ts';

/** What became of one item. */
export interface RemoteStep {
  readonly outcome: 'ingested' | 'replaced' | 'unchanged' | 'duplicate' | 'failed' | 'removed' | 'kept' | 'skipped';
  readonly name: string;
  readonly documentId: string | null;
  readonly reason?: string;
}

export interface RemoteSyncParts {
  readonly id: string;
  /** Names this synchronisation; another one has another name. */
  readonly pass: string;
  readonly connector: SourceConnector;
  readonly records: Pick<
    FollowedSourceRecords,
    'cursorOf' | 'saveCursor' | 'items' | 'saveItems' | 'unseen' | 'hasItems' | 'removeItems' | 'releaseDuplicates'
  >;
  readonly target: Pick<FolderTarget, 'ingest' | 'documentOf' | 'deleteDocument'>;
  /** Lists everything although a cursor is known. */
  readonly isFull: boolean;
  readonly keepDeleted: boolean;
  readonly maxBytes: number;
  /** The names of files that can be read. */
  readonly isSupported: (fileName: string) => boolean;
  readonly signal: AbortSignal;
}

const BATCH = 200;
const CONCURRENCY = 3;
const MAX_ITEMS = 1_000_000;
const MAX_KEY_BYTES = 1_000;
const MAX_URI = 4_000;

/**
 * Brings the documents in step with what the source lists. Unchanged items are not read. What was done is recorded in
 * batches, so that a synchronisation that was interrupted does not read them again. Documents are removed only after a
 * complete listing that is not empty. When one is, and another item has the same content, such as a file that was moved,
 * that item is taken in instead. Throws what concerns the whole source.
 */
export async function* syncRemote(parts: RemoteSyncParts): AsyncGenerator<RemoteStep, void> {
  const hasReleased = yield* listOnce(parts);
  if (!hasReleased) return;
  for await (const step of listOnce({ ...parts, pass: `${parts.pass} again`, isFull: true })) {
    if (step.outcome !== 'unchanged') yield step;
  }
}

/** Whether items have to be read again because the document with their content was removed. */
async function* listOnce(parts: RemoteSyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, connector, records, signal } = parts;
  const cursor = parts.isFull && connector.needsCursor !== true ? undefined : await records.cursorOf(id);
  let end: Extract<Listed, { kind: 'end' }> | undefined;
  /** Whether no part of the listing is missing. */
  let isWhole = true;
  /** Whether every item was taken in, or refused for good. */
  let isSettled = true;
  let hasReleased = false;
  let listed = 0;
  let batch: RemoteItem[] = [];
  for await (const each of connector.list(cursor, signal)) {
    signal.throwIfAborted();
    if (each.kind === 'end') end = each;
    else if (each.kind === 'failed') {
      isWhole = false;
      yield { outcome: 'failed', name: each.key, documentId: null, reason: each.reason };
    } else if (each.kind === 'removed') {
      const known = await records.items(id, [each.key]);
      for (const item of known) hasReleased = (yield* removeItem(item, parts)) || hasReleased;
    } else if (++listed > MAX_ITEMS) {
      throw new ServiceError(
        'too_large',
        `The source lists more than ${MAX_ITEMS.toLocaleString('en')} items. Follow a part of it.`,
      );
    } else {
      const problem = problemOf(each);
      if (problem !== undefined) {
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
  if (end.covers === 'all' && isWhole) hasReleased = (yield* removeUnseen(listed, parts)) || hasReleased;
  // Items that are to be tried again must be listed again.
  if (isWhole && isSettled && !hasReleased) await records.saveCursor(id, end.cursor);
  return hasReleased;
}

function problemOf({ key, uri, version }: RemoteItem): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES || uri.length > MAX_URI) return 'Its name is too long.';
  if (key === '' || version === '' || /\p{Cc}/u.test(key)) return 'Its name has control characters, or it has none.';
  return URL.canParse(uri) ? undefined : 'Its address is none.';
}

/** Whether every item was settled: taken in, or refused for good. */
async function* takeBatch(batch: readonly RemoteItem[], parts: RemoteSyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records } = parts;
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
  let isSettled = true;
  const changed = items.filter((item) => !isSame(item));
  // Seen already, so that an item that fails is not taken as gone.
  await records.saveItems(
    id,
    pass,
    changed.map(({ key, uri }) => ({ key, uri: known.get(key)?.uri ?? uri, version: null, duplicateOf: null })),
  );
  for await (const { step, item } of mapConcurrently(each(changed), CONCURRENCY, (item) => takeItem(item, parts))) {
    isSettled &&= item.version !== null;
    await records.saveItems(id, pass, [item]);
    yield step;
  }
  return isSettled;
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}

interface Taken {
  readonly step: RemoteStep;
  readonly item: SourceItem;
}

async function takeItem(item: RemoteItem, parts: RemoteSyncParts): Promise<Taken> {
  const { key, uri, version } = item;
  const settled = { key, uri, version, duplicateOf: null };
  try {
    if (!parts.isSupported(item.fileName)) {
      return { step: { outcome: 'skipped', name: key, documentId: null }, item: settled };
    }
    const step = await ingestItem(item, parts);
    if (step.outcome === 'duplicate') return { step, item: { ...settled, duplicateOf: step.documentId } };
    // The cause may pass, as that of an embedding service which does not answer.
    return { step, item: step.outcome === 'failed' ? { ...settled, version: null } : settled };
  } catch (error) {
    if (parts.signal.aborted || !(error instanceof ServiceError) || concernsAll(error)) throw error;
    const isPassing = PASSING.has(error.code);
    return {
      step: { outcome: 'failed', name: key, documentId: null, reason: error.message },
      item: isPassing ? { ...settled, version: null } : settled,
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

const PASSING: ReadonlySet<string> = new Set([
  'provider_failed',
  'timeout',
  'rate_limited',
  'not_found',
  'conflict',
  'forbidden',
]);
const concernsAll = ({ code }: ServiceError): boolean =>
  ['unauthenticated', 'store_failed', 'embedding_mismatch', 'not_configured', 'cancelled', 'internal'].includes(code);

async function* removeUnseen(listed: number, parts: RemoteSyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, pass, records, signal } = parts;
  if (listed === 0) {
    if (!(await records.hasItems(id))) return false;
    yield {
      ...{ outcome: 'kept', name: id, documentId: null },
      reason: 'The source lists nothing any more, as when access to it was narrowed, so its documents are kept.',
    };
    return false;
  }
  let hasReleased = false;
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await records.unseen(id, pass, { limit: BATCH, ...(after !== undefined && { after }) });
    for (const item of page) hasReleased = (yield* removeItem(item, parts)) || hasReleased;
    after = page.at(-1)?.key;
    if (page.length < BATCH) return hasReleased;
  }
}

/** Whether another item had the content of its document. */
async function* removeItem(item: SourceItem, parts: RemoteSyncParts): AsyncGenerator<RemoteStep, boolean> {
  const { id, records, target, keepDeleted } = parts;
  const document = keepDeleted ? undefined : await target.documentOf(item.uri);
  if (document !== undefined) {
    await target.deleteDocument(document.id).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    });
    yield { outcome: 'removed', name: item.key, documentId: document.id };
  }
  await records.removeItems(id, [item.key]);
  return document !== undefined && (await records.releaseDuplicates(document.id));
}
