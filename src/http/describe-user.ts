import { ownedBy } from '../documents/filter.ts';
import type { CollectionMember } from '../store/records.ts';
import type { User } from '../store/user-records.ts';
import type { HttpServices } from './http-services.ts';
import { toMemberRecord, toUserRecord } from './wire/user-record.ts';

type Services = Pick<HttpServices, 'accounts' | 'collections' | 'corpus'>;

const MAX_DOCUMENTS = 1_000;

/** The complete record of a user. */
export async function describeUser(user: User, services: Services) {
  const [collectionIds, holdings, { items }] = await Promise.all([
    services.collections.idsOfMember(user.id),
    services.accounts.store.holdings([user.id]),
    services.corpus.list(ownedBy(user.id), { offset: 0, limit: MAX_DOCUMENTS }),
  ]);
  return toUserRecord(user, {
    collectionIds,
    documentIds: items.map(({ id }) => id),
    holdings: holdings.get(user.id),
  });
}

/** Records of several users. Their document ids are omitted, because there may be many. */
export async function describeUsers(users: readonly User[], { accounts, collections }: Omit<Services, 'corpus'>) {
  const holdings = await accounts.store.holdings(users.map(({ id }) => id));
  return Promise.all(
    users.map(async (user) =>
      toUserRecord(user, {
        collectionIds: await collections.idsOfMember(user.id),
        documentIds: [],
        holdings: holdings.get(user.id),
      }),
    ),
  );
}

/** The members of a collection, in order. For users of an external issuer only the id is known. */
export async function describeMembers(members: readonly CollectionMember[], services: Omit<Services, 'corpus'>) {
  const ids = members.map(({ userId }) => userId);
  if (ids.length === 0) return [];
  const known = await services.accounts.store.users.list({ ids, offset: 0, limit: ids.length });
  const records = await describeUsers(known.items, services);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  return members.map((member) => recordOf.get(member.userId) ?? toMemberRecord(member));
}
