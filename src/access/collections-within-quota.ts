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
      const make = () => collections.ensure(collection);
      return isDue ? make() : quotas.within(ownerId, ['collections'], make);
    },
  };
}
