import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { copyConversation } from './copy-conversation.ts';
import { copyDocument } from './copy-document.ts';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import { r2rCollection, r2rConversation, r2rDocument, r2rUser, readRecord } from './r2r-records.ts';
import type { V3Connection } from './v3-connection.ts';

export type MigratedKind = 'collection' | 'document' | 'conversation';

/** Result for one item. `present` existed already, from an earlier run or otherwise. */
export interface MigratedItem {
  readonly type: 'item';
  readonly kind: MigratedKind;
  readonly outcome: 'copied' | 'present' | 'failed';
  readonly id: string;
  readonly name: string;
  /** Its identifier here; null for a failed item. */
  readonly to: string | null;
  /** For failures, and for parts that could not be kept. */
  readonly reason?: string;
}

export type MigrationEvent =
  | { readonly type: 'found'; readonly user: string; readonly counts: Readonly<Record<MigratedKind, number>> }
  | MigratedItem;

/**
 * Copies collections, documents with their metadata, and conversations from a running R2R server through its API.
 * Documents keep their identifiers, so that references stay valid; their text is read and embedded again. A failed item
 * does not stop the others. Throws only when a server cannot be reached or denies access.
 */
export async function* migrateR2r(migration: Migration): AsyncGenerator<MigrationEvent, void> {
  const { from, to, signal } = migration;
  const [there, here] = await Promise.all([whoAmI(from), whoAmI(to)]);
  const paths = { collection: '/collections', document: '/documents', conversation: '/conversations' } as const;
  yield {
    type: 'found',
    user: there.email,
    counts: {
      collection: await from.count(paths.collection),
      document: await from.count(paths.document),
      conversation: await from.count(paths.conversation),
    },
  };

  const collectionIds = new Map<string, string>();
  for await (const entry of from.list(paths.collection)) {
    signal.throwIfAborted();
    const item = await copyCollection(migration, entry, { there: there.id, here: here.id });
    if (item.to !== null) collectionIds.set(item.id, item.to);
    yield item;
  }
  for await (const entry of from.list(paths.document)) {
    signal.throwIfAborted();
    const document = readRecord(r2rDocument, entry, 'document');
    const name = document.title === '' ? document.id : document.title;
    yield await attempt('document', document.id, name, signal, () => copyDocument(migration, document, collectionIds));
  }
  for await (const entry of from.list(paths.conversation)) {
    signal.throwIfAborted();
    const { id, name } = readRecord(r2rConversation, entry, 'conversation');
    yield await attempt('conversation', id, name, signal, () => copyConversation(migration, { id, name }));
  }
}

async function attempt(
  kind: MigratedKind,
  id: string,
  name: string,
  signal: AbortSignal,
  copy: () => Promise<Copied>,
): Promise<MigratedItem> {
  try {
    return { type: 'item', kind, id, name, ...(await copy()) };
  } catch (error) {
    // Aborted, or access denied: the remaining items would fail as well.
    if (signal.aborted || !(error instanceof ServiceError) || error.code === 'unauthenticated') throw error;
    return { type: 'item', kind, id, name, outcome: 'failed', to: null, reason: error.message };
  }
}

async function copyCollection(
  { to, state, signal }: Migration,
  entry: unknown,
  users: { readonly there: string; readonly here: string },
): Promise<MigratedItem> {
  const { id, name, description } = readRecord(r2rCollection, entry, 'collection');
  return attempt('collection', id, name, signal, async (): Promise<Copied> => {
    // Every user already has a default collection, with an identifier derived from theirs.
    if (id === defaultCollectionId(users.there)) return { to: defaultCollectionId(users.here), outcome: 'present' };
    const known = state.find('collection', id);
    if (known !== undefined) return { to: known.to, outcome: 'present' };
    const present = await undefinedIfMissing(to.get(`/collections/${id}`));
    const made = present ?? (await to.post('/collections', { id, name, ...(description !== '' && { description }) }));
    const { id: made_id } = readRecord(r2rCollection, made, 'collection');
    await state.note({ kind: 'collection', from: id, to: made_id, state: 'done' });
    return {
      to: made_id,
      outcome: present === undefined ? 'copied' : 'present',
      ...(made_id !== id && { reason: `It has the identifier ${made_id} here.` }),
    };
  });
}

const whoAmI = async (server: V3Connection) => readRecord(r2rUser, await server.get('/users/me'), 'user');
