import { defaultCollectionId } from '../documents/ids.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { Quotas } from './quotas.ts';

/** Makes no further collection for who has as many as they may have; the default one is everybody's due. */
export function collectionsWithinQuota(collections: CollectionRecords, quotas: Quotas): CollectionRecords {
  return {
    ...collections,
    async ensure(collection) {
      const { id, ownerId } = collection;
      const isDue = id === defaultCollectionId(ownerId) || (await collections.get(id)) !== undefined;
      if (!isDue) await quotas.requireRoom(ownerId, ['collections']);
      return collections.ensure(collection);
    },
  };
}
