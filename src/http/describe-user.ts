import type { Filter } from '../documents/filter.ts';
import type { CollectionMember } from '../store/records.ts';
import type { User } from '../store/user-records.ts';
import type { HttpServices } from './http-services.ts';
import { toMemberRecord, toUserRecord } from './wire/user-record.ts';

type Services = Pick<HttpServices, 'accounts' | 'collections' | 'corpus'>;

const MOST_DOCUMENTS = 1_000;

/** The whole record of a user. */
export async function describeUser(user: User, services: Services) {
  const owned: Filter = { kind: 'compare', field: 'owner_id', op: 'eq', value: user.id };
  const [collectionIds, holdings, { items }] = await Promise.all([
    services.collections.idsOfMember(user.id),
    services.accounts.store.holdings([user.id]),
    services.corpus.list(owned, { offset: 0, limit: MOST_DOCUMENTS }),
  ]);
  return toUserRecord(user, {
    collectionIds,
    documentIds: items.map(({ id }) => id),
    holdings: holdings.get(user.id),
  });
}

/** Records of many, which do not name their documents: these may be a great many. */
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

/** Members of a collection, in order. Of users of another issuer nothing more is kept than who they are. */
export async function describeMembers(members: readonly CollectionMember[], services: Omit<Services, 'corpus'>) {
  const ids = members.map(({ userId }) => userId);
  if (ids.length === 0) return [];
  const known = await services.accounts.store.users.list({ ids, offset: 0, limit: ids.length });
  const records = await describeUsers(known.items, services);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  return members.map((member) => recordOf.get(member.userId) ?? toMemberRecord(member));
}
