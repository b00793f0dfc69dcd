import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { copyConversation } from './copy-conversation.ts';
import { copyDocument } from './copy-document.ts';
import type { MigrationState } from './migration-state.ts';
import { r2rCollection, r2rConversation, r2rDocument, r2rUser, readRecord } from './r2r-records.ts';
import type { V3Connection } from './v3-connection.ts';

export type MigratedKind = 'collection' | 'document' | 'conversation';

/** What happens to one thing. `present` was there already, from an earlier run or by itself. */
export interface MigratedItem {
  readonly type: 'item';
  readonly kind: MigratedKind;
  readonly outcome: 'copied' | 'present' | 'failed';
  readonly id: string;
  readonly name: string;
  /** Where it is here; null for what failed. */
  readonly to: string | null;
  /** For what failed, and for what could not be kept. */
  readonly reason?: string;
}

export type MigrationEvent =
  | { readonly type: 'found'; readonly user: string; readonly counts: Readonly<Record<MigratedKind, number>> }
  | MigratedItem;

export interface Migration {
  readonly from: V3Connection;
  readonly to: V3Connection;
  readonly state: MigrationState;
  readonly signal: AbortSignal;
}

/**
 * Copies collections, documents with their metadata, and conversations out of a running R2R through its interface.
 * Documents keep their identifiers, so that what refers to them goes on working; their text is read and embedded anew.
 * One thing that fails does not stop the others. Throws only when a server cannot be reached or lets nobody in.
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

/** Where a thing went, and whether it had to be brought there. */
export interface Copied {
  readonly to: string;
  readonly outcome: 'copied' | 'present';
  readonly reason?: string;
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
    // Stopped, or let in no more: the rest would fail alike.
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
    // Everyone has a default collection already, whose identifier follows from theirs.
    if (id === defaultCollectionId(users.there)) return { to: defaultCollectionId(users.here), outcome: 'present' };
    const known = state.find('collection', id);
    if (known !== undefined) return { to: known.to, outcome: 'present' };
    const present = await orNothing(to.get(`/collections/${id}`));
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

/** Undefined for what is not there. */
export async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const whoAmI = async (server: V3Connection) => readRecord(r2rUser, await server.get('/users/me'), 'user');
