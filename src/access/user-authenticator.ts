import { defaultCollectionId } from '../documents/ids.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { User } from '../store/user-records.ts';
import type { Principal } from './principal.ts';
import type { SignIn } from './sign-in.ts';

/** Authentication of this server's users. */
export interface UserAuthenticator {
  isOwnToken(token: string): boolean;
  /** Throws `unauthenticated`, `token_expired`. */
  principalOfToken(token: string): Promise<Principal>;
  /** Undefined if it is not a key of an active user. */
  principalOfKey(key: string): Promise<Principal | undefined>;
  /** The principal of a signed-in user. */
  principalOfUser(user: Pick<User, 'id' | 'email' | 'isSuperuser'>): Promise<Principal>;
  /** The principal with its current collection memberships. */
  withCollections(principal: Principal): Promise<Principal>;
}

export interface UserAuthenticatorParts {
  readonly signIn: SignIn;
  readonly collections: Pick<CollectionRecords, 'idsOfMember'>;
}

export function createUserAuthenticator({ signIn, collections }: UserAuthenticatorParts): UserAuthenticator {
  const withCollections = async (principal: Principal): Promise<Principal> => {
    const own = defaultCollectionId(principal.userId);
    const collectionIds = [...new Set([own, ...(await collections.idsOfMember(principal.userId))])];
    return { ...principal, collectionIds };
  };
  const toPrincipal: UserAuthenticator['principalOfUser'] = ({ id, email, isSuperuser }) =>
    withCollections({ userId: id, email, isSuperuser, collectionIds: [] });
  return {
    isOwnToken: (token) => signIn.isOwnToken(token),
    async principalOfToken(token) {
      return toPrincipal(await signIn.userOfToken(token));
    },
    async principalOfKey(key) {
      const user = await signIn.userOfKey(key);
      return user && toPrincipal(user);
    },
    principalOfUser: toPrincipal,
    withCollections,
  };
}
