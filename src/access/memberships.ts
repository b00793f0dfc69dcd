import { ServiceError } from '../errors.ts';
import type { Page, Paged } from '../store/corpus.ts';
import type { Collection, CollectionRecords } from '../store/records.ts';
import type { UserRecords } from '../store/user-records.ts';
import type { Principal } from './principal.ts';

interface MembershipParts {
  readonly collections: CollectionRecords;
  readonly users: UserRecords;
}

/** Access to collection memberships on behalf of a caller (docs/contract.md 9, 10). */
export interface Memberships {
  /** The collections a user is a member of; for that user and superusers. */
  collectionsOf(by: Principal, userId: string, page: Page): Promise<Paged<Collection>>;
  /** Requires the collection's owner. Throws `invalid_request` if already a member. */
  add(by: Principal, collectionId: string, userId: string): Promise<void>;
  /** Requires the collection's owner or the member. */
  remove(by: Principal, collectionId: string, userId: string): Promise<void>;
}

export function createMemberships({ collections, users }: MembershipParts): Memberships {
  const find = async (by: Principal, id: string): Promise<Collection> => {
    const found = await collections.get(id);
    // To users who are not members, the collection does not exist.
    const isKnown = by.isSuperuser || found?.ownerId === by.userId || by.collectionIds.includes(id.toLowerCase());
    if (found === undefined || !isKnown) throw new ServiceError('not_found', `There is no collection ${id}.`);
    return found;
  };
  return {
    async collectionsOf(by, userId, page) {
      if (!by.isSuperuser && by.userId !== userId) {
        throw new ServiceError('forbidden', 'Only the user and superusers may do this.');
      }
      return collections.list({ memberId: userId, ...page });
    },
    async add(by, collectionId, userId) {
      const { ownerId } = await find(by, collectionId);
      if (!by.isSuperuser && ownerId !== by.userId) throw notOwner();
      if ((await users.get(userId)) === undefined) throw new ServiceError('not_found', `There is no user ${userId}.`);
      if (await collections.addMember(collectionId, userId)) return;
      throw new ServiceError('invalid_request', 'The user is a member of the collection already.');
    },
    async remove(by, collectionId, userId) {
      const { ownerId } = await find(by, collectionId);
      if (!by.isSuperuser && ownerId !== by.userId && by.userId !== userId) throw notOwner();
      if (await collections.removeMember(collectionId, userId)) return;
      throw new ServiceError('not_found', `The user ${userId} is not a member of collection ${collectionId}.`);
    },
  };
}

const notOwner = () => new ServiceError('forbidden', 'Only the owner of a collection can manage its members.');
