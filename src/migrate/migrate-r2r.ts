import pLimit from 'p-limit';
import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { mapConcurrently } from '../shared/map-concurrently.ts';
import { copyConversation } from './copy-conversation.ts';
import { copyDocument, type DocumentCollections } from './copy-document.ts';
import { copyUser, usersHere } from './copy-user.ts';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import type { SourceCounts } from './migration-source.ts';
import { type R2rDocument, r2rCollection, r2rConversation, r2rDocument, r2rUser, readRecord } from './r2r-records.ts';
import type { V3Connection } from './v3-connection.ts';

export type MigratedKind = keyof SourceCounts;

/** Result for one item; `present` means that it existed already, for example from an earlier run. */
export interface MigratedItem {
  readonly type: 'item';
  readonly kind: MigratedKind;
  readonly outcome: 'copied' | 'present' | 'failed';
  readonly id: string;
  readonly name: string;
  /** Its identifier on the target; null for a failed item. */
  readonly to: string | null;
  /** Why the item failed, or which of its parts could not be copied. */
  readonly reason?: string;
}

export type MigrationEvent =
  | { readonly type: 'found'; readonly user: string; readonly counts: Readonly<Record<MigratedKind, number>> }
  | MigratedItem;

/** Documents, and then conversations, that are copied at the same time. */
const CONCURRENCY = 3;

/** The users of the source. Identifiers are those of the source, unless it says otherwise. */
interface CopiedUsers {
  /** Identifiers on the target of the users that were copied. Without users, everything belongs to the caller. */
  readonly owners: ReadonlyMap<string, string>;
  /** The collections of each user, also of those that could not be copied. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** The collections of the source. Identifiers are those of the source, unless it says otherwise. */
interface CopiedCollections {
  /** Identifiers on the target of the collections that were copied. */
  readonly collectionIds: ReadonlyMap<string, string>;
  readonly collectionOwners: ReadonlyMap<string, string>;
}

/**
 * Copies collections, documents with their metadata, and conversations from R2R; from its database also the users, each
 * with their content. Documents keep their identifiers, so that references stay valid; their text is extracted and
 * embedded again. A failed item does not stop the others. Throws only when a source or server cannot be reached or
 * denies access.
 */
export async function* migrateR2r(migration: Migration): AsyncGenerator<MigrationEvent, void> {
  const { from, to, signal } = migration;
  const caller = readRecord(r2rUser, await to.get('/users/me'), 'user').id;
  yield { type: 'found', user: await from.describe(), counts: await from.counts() };

  const users: CopiedUsers = from.hasUsers
    ? yield* copyUsers(migration)
    : { owners: new Map([[await from.defaultOwner(), caller]]), members: new Map() };
  const forOwner = (owner: string): Migration => {
    const id = from.hasUsers ? users.owners.get(owner) : undefined;
    if (id === undefined && users.members.has(owner)) {
      throw new ServiceError('not_found', 'Its owner could not be copied.');
    }
    return id === undefined || id === caller ? migration : { ...migration, to: to.actingFor(id) };
  };
  const collections: CopiedCollections = yield* copyCollections(migration, users, forOwner);
  await copyMemberships(to, users, collections);
  yield* mapConcurrently(from.documents(), CONCURRENCY, async (entry) => {
    signal.throwIfAborted();
    const document = readRecord(r2rDocument, entry, 'document');
    const name = document.title === '' ? document.id : document.title;
    const copy = async () =>
      copyDocument(forOwner(document.owner_id), document, {
        ...collectionsOf(document, users, collections),
        admin: to,
      });
    return attempt({ kind: 'document', id: document.id, name }, copy, signal);
  });
  const turns = pLimit(1);
  yield* mapConcurrently(from.conversations(), CONCURRENCY, async (entry) => {
    signal.throwIfAborted();
    const { id, name, owner_id: owner } = readRecord(r2rConversation, entry, 'conversation');
    const copy = async () => copyConversation(forOwner(owner), { id, name }, turns);
    return attempt({ kind: 'conversation', id, name }, copy, signal);
  });
}

async function* copyUsers(migration: Migration): AsyncGenerator<MigratedItem, CopiedUsers> {
  const { from, to, signal } = migration;
  const owners = new Map<string, string>();
  const members = new Map<string, readonly string[]>();
  const present = await usersHere(to);
  const emails = new Set<string>();
  // Not aborted midway, because a half-created user would have neither permissions nor a password.
  const whole = { ...migration, to: to.uninterrupted() };
  for await (const entry of from.users()) {
    signal.throwIfAborted();
    const user = readRecord(r2rUser, entry, 'user');
    const email = user.email.toLowerCase();
    // R2R's e-mails are case-sensitive. Ours are not, so two such users would become one with the content of both.
    const isTaken = emails.has(email);
    emails.add(email);
    const copy = async (): Promise<Copied> => {
      if (isTaken) throw new ServiceError('conflict', 'Another user has this e-mail in different letter case.');
      return copyUser(whole, user, present.get(email));
    };
    const item = await attempt({ kind: 'user', id: user.id, name: user.email }, copy, signal);
    if (item.to !== null) owners.set(user.id, item.to);
    members.set(user.id, user.collection_ids);
    yield item;
  }
  return { owners, members };
}

async function* copyCollections(
  { from, signal }: Migration,
  { owners }: CopiedUsers,
  forOwner: (owner: string) => Migration,
): AsyncGenerator<MigratedItem, CopiedCollections> {
  // Every user already has a default collection, with an identifier derived from theirs.
  const defaults = new Map([...owners].map(([there, here]) => [defaultCollectionId(there), defaultCollectionId(here)]));
  const collectionIds = new Map<string, string>();
  const collectionOwners = new Map<string, string>();
  for await (const entry of from.collections()) {
    signal.throwIfAborted();
    const collection = readRecord(r2rCollection, entry, 'collection');
    const { id, name, owner_id: owner } = collection;
    collectionOwners.set(id, owner);
    const known = defaults.get(id);
    const copy = async (): Promise<Copied> =>
      known === undefined ? copyCollection(forOwner(owner), collection) : { to: known, outcome: 'present' };
    const item = await attempt({ kind: 'collection', id, name }, copy, signal);
    if (item.to !== null) collectionIds.set(item.id, item.to);
    yield item;
  }
  return { collectionIds, collectionOwners };
}

/** The collections of a document on the target. */
function collectionsOf(
  { owner_id: owner, collection_ids: ids }: R2rDocument,
  { members }: CopiedUsers,
  { collectionIds, collectionOwners }: CopiedCollections,
): Omit<DocumentCollections, 'admin'> {
  const isUsable = (id: string): boolean =>
    !members.has(owner) || collectionOwners.get(id) === owner || members.get(owner)?.includes(id) === true;
  const copied = (some: readonly string[]) => some.flatMap((id) => collectionIds.get(id) ?? []);
  return { usable: copied(ids.filter(isUsable)), others: copied(ids.filter((id) => !isUsable(id))) };
}

/** Copies the members of collections other than their owners; skips collections and users that could not be copied. */
async function copyMemberships(
  to: V3Connection,
  { owners, members }: CopiedUsers,
  { collectionIds, collectionOwners }: CopiedCollections,
): Promise<void> {
  const usersOf = new Map<string, string[]>();
  for (const [user, collections] of members) {
    for (const there of collections) {
      // Owners are members of their own collections anyway.
      if (collectionOwners.get(there) !== user) usersOf.set(there, [...(usersOf.get(there) ?? []), user]);
    }
  }
  for (const [there, users] of usersOf) {
    const here = collectionIds.get(there);
    if (here === undefined) continue;
    const present = new Set<string>();
    for await (const entry of to.list(`/collections/${here}/users`)) present.add(readRecord(r2rUser, entry, 'user').id);
    for (const user of users) {
      const member = owners.get(user);
      if (member !== undefined && !present.has(member)) await to.post(`/collections/${here}/users/${member}`);
    }
  }
}

async function attempt(
  item: Pick<MigratedItem, 'kind' | 'id' | 'name'>,
  copy: () => Promise<Copied>,
  signal: AbortSignal,
): Promise<MigratedItem> {
  try {
    return { type: 'item', ...item, ...(await copy()) };
  } catch (error) {
    // Aborted, or access denied: the remaining items would fail as well.
    if (signal.aborted || !(error instanceof ServiceError) || error.code === 'unauthenticated') throw error;
    return { type: 'item', ...item, outcome: 'failed', to: null, reason: error.message };
  }
}

async function copyCollection(
  { to, state }: Migration,
  { id, name, description }: ReturnType<typeof r2rCollection.parse>,
): Promise<Copied> {
  const known = state.find('collection', id);
  if (known !== undefined) return { to: known.to, outcome: 'present' };
  const present = await undefinedIfMissing(to.get(`/collections/${id}`));
  const made = present ?? (await to.post('/collections', { id, name, ...(description !== '' && { description }) }));
  const { id: madeId } = readRecord(r2rCollection, made, 'collection');
  await state.note({ kind: 'collection', from: id, to: madeId, state: 'done' });
  return {
    to: madeId,
    outcome: present === undefined ? 'copied' : 'present',
    ...(madeId !== id && { reason: `It has the identifier ${madeId} here.` }),
  };
}
