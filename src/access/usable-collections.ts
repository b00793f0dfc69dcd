import { isMadeFromName, isUuid, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { Principal } from './principal.ts';

/**
 * Identifiers of the collections with these ids or names, made for the principal when absent (docs/contract.md 6.2).
 * Throws `forbidden`, before any is made, for one that is someone else's.
 */
export async function usableCollections(
  collections: CollectionRecords,
  { userId, isSuperuser, collectionIds }: Principal,
  idsOrNames: readonly string[],
): Promise<string[]> {
  const wanted: { readonly id: string; readonly name: string }[] = [];
  for (const name of new Set(idsOrNames)) {
    const isId = isUuid(name);
    const found = isId ? await collections.get(name) : await collections.findByName(userId, name);
    if (found !== undefined && !isSuperuser && found.ownerId !== userId && !collectionIds.includes(found.id)) {
      throw new ServiceError('forbidden', `The collection ${name} belongs to someone else.`);
    }
    // Or someone could have another's default collection before they come for the first time.
    if (
      found === undefined &&
      isId &&
      !isSuperuser &&
      isMadeFromName(name) &&
      !collectionIds.includes(name.toLowerCase())
    ) {
      throw new ServiceError(
        'forbidden',
        `The collection ${name} is not there, and its identifier is not free to choose.`,
      );
    }
    // Made from the name, so that two who ask for it at once make the same one.
    const id = found?.id ?? (isId ? name.toLowerCase() : uuidFromName(`collection ${name} of ${userId}`));
    wanted.push({ id, name });
  }
  for (const { id, name } of wanted) await collections.ensure({ id, ownerId: userId, name });
  return [...new Set(wanted.map(({ id }) => id))];
}
