import { defaultCollectionId } from '../documents/ids.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { User } from '../store/user-records.ts';
import type { Principal } from './principal.ts';
import type { SignIn } from './sign-in.ts';

/** Authentication of this server's users. */
export interface People {
  isOwnToken(token: string): boolean;
  /** Throws `unauthenticated`, `token_expired`. */
  ofToken(token: string): Promise<Principal>;
  /** Undefined if it is not a key of an active user. */
  ofKey(key: string): Promise<Principal | undefined>;
  /** The principal of a signed-in user. */
  ofUser(user: Pick<User, 'id' | 'email' | 'isSuperuser'>): Promise<Principal>;
  /** The principal with its current collection memberships. */
  withCollections(principal: Principal): Promise<Principal>;
}

export interface PeopleParts {
  readonly signIn: SignIn;
  readonly collections: Pick<CollectionRecords, 'idsOfMember'>;
}

export function createPeople({ signIn, collections }: PeopleParts): People {
  const withCollections = async (principal: Principal): Promise<Principal> => {
    const own = defaultCollectionId(principal.userId);
    const collectionIds = [...new Set([own, ...(await collections.idsOfMember(principal.userId))])];
    return { ...principal, collectionIds };
  };
  const toPrincipal: People['ofUser'] = ({ id, email, isSuperuser }) =>
    withCollections({ userId: id, email, isSuperuser, collectionIds: [] });
  return {
    isOwnToken: (token) => signIn.isOwnToken(token),
    async ofToken(token) {
      return toPrincipal(await signIn.userOfToken(token));
    },
    async ofKey(key) {
      const user = await signIn.userOfKey(key);
      return user && toPrincipal(user);
    },
    ofUser: toPrincipal,
    withCollections,
  };
}
