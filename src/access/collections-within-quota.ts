import { defaultCollectionId } from '../documents/ids.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { Quotas } from './quotas.ts';

/** Collection records that enforce the quota on creation; the default collection is always allowed. */
export function collectionsWithinQuota(collections: CollectionRecords, quotas: Quotas): CollectionRecords {
  return {
    ...collections,
    async ensure(collection) {
      const { id, ownerId } = collection;
      const isDue = id === defaultCollectionId(ownerId) || (await collections.get(id)) !== undefined;
      const make = () => collections.ensure(collection);
      return isDue ? make() : quotas.within(ownerId, ['collections'], make);
    },
  };
}
