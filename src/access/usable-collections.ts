import { isMadeFromName, isUuid, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { NamedCollection } from '../store/corpus.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { Principal } from './principal.ts';

interface NamedCollections {
  readonly ids: readonly string[];
  /** Those that do not exist yet. */
  readonly missing: readonly NamedCollection[];
}

/**
 * Identifiers of the collections with these ids or names; missing ones are created for the caller (docs/contract.md
 * 6.2). Throws `forbidden`, before any is created, if one belongs to another user.
 */
export async function usableCollections(
  collections: CollectionRecords,
  principal: Principal,
  idsOrNames: readonly string[],
): Promise<readonly string[]> {
  const { ids, missing } = await findCollections(collections, principal, idsOrNames);
  for (const collection of missing) await collections.ensure({ ...collection, ownerId: principal.userId });
  return ids;
}

/** The same without creating the missing ones. */
export async function findCollections(
  collections: Pick<CollectionRecords, 'get' | 'findByName'>,
  { userId, isSuperuser, collectionIds }: Principal,
  idsOrNames: readonly string[],
): Promise<NamedCollections> {
  const missing = new Map<string, NamedCollection>();
  const ids = new Set<string>();
  for (const name of new Set(idsOrNames)) {
    const isId = isUuid(name);
    const found = isId ? await collections.get(name) : await collections.findByName(userId, name);
    if (found !== undefined && !isSuperuser && found.ownerId !== userId && !collectionIds.includes(found.id)) {
      throw new ServiceError('forbidden', `The collection ${name} belongs to someone else.`);
    }
    // Prevents creating the default collection of a user who has not logged in yet.
    if (
      found === undefined &&
      isId &&
      !isSuperuser &&
      isMadeFromName(name) &&
      !collectionIds.includes(name.toLowerCase())
    ) {
      throw new ServiceError('forbidden', `The collection ${name} does not exist, and this identifier is reserved.`);
    }
    // Derived from the name, so that two concurrent requests create the same collection.
    const id = found?.id ?? (isId ? name.toLowerCase() : uuidFromName(`collection ${name} of ${userId}`));
    ids.add(id);
    if (found === undefined) missing.set(id, { id, name });
  }
  return { ids: [...ids], missing: [...missing.values()] };
}
