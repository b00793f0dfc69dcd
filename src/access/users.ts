import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus, DeletionReceipt, Page, Paged } from '../store/corpus.ts';
import type { CollectionRecords, ConversationRecords } from '../store/records.ts';
import type { ApiKey, CodePurpose, User, UserChange, UserStore } from '../store/user-records.ts';
import { makeApiKey } from './api-keys.ts';
import { checkEmail, orEmailTaken } from './email-address.ts';
import { defaultAdmin, type Principal, requireSuperuser } from './principal.ts';
import { createRegistration, type Registration, type RegistrationParts } from './register-user.ts';
import { removeUserData } from './remove-user-data.ts';
import type { SignIn } from './sign-in.ts';

export interface UsersParts extends RegistrationParts {
  readonly store: UserStore;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  readonly corpus: Corpus;
  readonly signIn: SignIn;
}

/**
 * Changeable fields of a user. Only superusers may set `password`, `passwordHash` (of another system) and permissions.
 */
export type Profile = Partial<
  Pick<
    User,
    | 'email'
    | 'name'
    | 'bio'
    | 'profilePicture'
    | 'metadata'
    | 'isSuperuser'
    | 'isActive'
    | 'isVerified'
    | 'limitsOverrides'
  >
> & { readonly password?: string; readonly passwordHash?: string };

export interface NewPassword {
  readonly password: string;
  /** Whether the user's API keys, which do not depend on the password, are deleted too. */
  readonly revokesKeys?: boolean;
}

/** A new key with its full text, which is shown once. */
export interface IssuedKey extends ApiKey {
  readonly key: string;
}

/**
 * Access to users on behalf of a caller (docs/contract.md 10), who may see and change only their own account unless
 * they are a superuser. Any other user is `forbidden`, whether it exists or not.
 */
export interface Users {
  /**
   * `by` is undefined for an unauthenticated caller; `address` is the client address. A superuser sets the first
   * password of the default admin this way. Throws `invalid_request`, `forbidden`.
   */
  register(by: Principal | undefined, registration: Registration, address: string): Promise<User>;
  get(by: Principal, id: string): Promise<User>;
  /** Newest first, superusers only; empty `ids` selects all. */
  list(by: Principal, query: { readonly ids: readonly string[] } & Page): Promise<Paged<User>>;
  update(by: Principal, id: string, change: Profile): Promise<User>;
  /** Deletes the user with all data. Callers other than superusers must give the password. */
  remove(by: Principal, id: string, password: string | undefined): Promise<DeletionReceipt>;
  /** Invalidates all tokens issued before. Returns how many API keys remain valid. */
  changePassword(by: Principal, current: string, next: NewPassword): Promise<number>;
  createKey(
    by: Principal,
    id: string,
    key: { readonly name?: string; readonly description?: string },
  ): Promise<IssuedKey>;
  keys(by: Principal, id: string, page: Page): Promise<Paged<ApiKey>>;
  removeKey(by: Principal, id: string, keyId: string): Promise<void>;
  /** A one-time code to set a new password or verify the e-mail; a superuser passes it on. */
  createCode(by: Principal, id: string, purpose: CodePurpose): Promise<string>;
  /** Throws `invalid_request` for an already verified e-mail, but only to its owner and superusers. */
  askForVerification(by: Principal | undefined, email: string): Promise<void>;
  verify(email: string, code: string): Promise<void>;
  /** The same as for a changed password. */
  resetPassword(code: string, next: NewPassword): Promise<number>;
}

const CODE_HOURS = 24;
export function createUsers(parts: UsersParts): Users {
  const { store, signIn, passwords } = parts;
  const { users, apiKeys, codes } = store;

  const find = async (by: Principal, id: string): Promise<User> => {
    if (!by.isSuperuser && id.toLowerCase() !== by.userId) throw notOwnAccount();
    const user = isUuid(id) ? await users.get(id) : undefined;
    if (user !== undefined) return user;
    if (id.toLowerCase() === by.userId) return userOfPrincipal(by);
    throw new ServiceError('not_found', `There is no user ${id}.`);
  };
  /** Reports a failure caused by the user being deleted at the same time as `not_found`. */
  const orNotFound = <Made>({ id }: User, making: Promise<Made>): Promise<Made> =>
    making.catch(async (error: unknown) => {
      if ((await users.get(id)) === undefined) throw new ServiceError('not_found', `There is no user ${id}.`);
      throw error;
    });
  const setPassword = async (id: string, { password, revokesKeys = false }: NewPassword): Promise<number> => {
    const passwordHash = await passwords.hash(password);
    await codes.withdraw(id, 'reset');
    // Before the password: after a crash in between, the request can be repeated.
    if (revokesKeys) await apiKeys.removeAll(id);
    await users.update(id, { passwordHash, tokenStamp: randomUUID() });
    return (await apiKeys.list(id, { offset: 0, limit: 1 })).total;
  };

  return {
    register: createRegistration(parts),

    get: find,

    async list(by, query) {
      requireSuperuser(by);
      return users.list(query);
    },

    async update(by, id, { password, passwordHash, ...change }) {
      const user = await find(by, id);
      checkChange(by, user, {
        ...change,
        ...(password !== undefined && { password }),
        ...(passwordHash !== undefined && { passwordHash }),
      });
      if (change.email !== undefined) checkEmail(change.email);
      const isOther = change.email !== undefined && change.email.toLowerCase() !== user.email;
      const completeChange: UserChange = {
        ...change,
        ...(isOther && change.isVerified === undefined && { isVerified: false }),
        // A changed e-mail or a deactivation invalidates existing tokens.
        ...((isOther || change.isActive === false) && { tokenStamp: randomUUID() }),
        ...(password !== undefined && { passwordHash: await passwords.hash(password), tokenStamp: randomUUID() }),
        ...(passwordHash !== undefined && {
          passwordHash: passwords.importHash(passwordHash),
          tokenStamp: randomUUID(),
        }),
      };
      // Codes were handed out at the earlier address, and for the earlier password.
      if (isOther) await codes.withdraw(user.id, 'verify');
      if (completeChange.tokenStamp !== undefined) await codes.withdraw(user.id, 'reset');
      const updated = await users.update(user.id, completeChange).catch((error: unknown) => {
        throw orEmailTaken(error, change.email ?? '');
      });
      if (updated === undefined) throw new ServiceError('not_found', `There is no user ${id}.`);
      return updated;
    },

    async remove(by, id, password) {
      const user = await find(by, id);
      if (user.id === defaultAdmin.userId) throw defaultAdminUnchangeable();
      if (!by.isSuperuser) {
        if (password === undefined)
          throw new ServiceError(
            'invalid_request',
            'Deleting your account needs your password: send {"password": "…"}.',
          );
        await signIn.confirmPassword(user, password, 'Incorrect password.');
      }
      // Deactivated first, so that nothing is added during the deletion.
      await users.update(user.id, { isActive: false, tokenStamp: randomUUID() });
      const receipt = await removeUserData(user.id, parts);
      await users.remove(user.id);
      return receipt;
    },

    async changePassword(by, current, next) {
      const user = await find(by, by.userId);
      passwords.check(next.password);
      await signIn.confirmPassword(user, current, 'Incorrect current password');
      return setPassword(user.id, next);
    },

    async createKey(by, id, { name, description = null }) {
      const user = await stored(await find(by, id), users);
      const { key: whole, publicKey, secretHash } = makeApiKey();
      const key = await orNotFound(
        user,
        apiKeys.add({ userId: user.id, publicKey, secretHash, name: name ?? '', description }),
      );
      return { ...key, key: whole };
    },

    async keys(by, id, page) {
      return apiKeys.list((await find(by, id)).id, page);
    },

    async removeKey(by, id, keyId) {
      const user = await find(by, id);
      if (isUuid(keyId) && (await apiKeys.remove(user.id, keyId))) return;
      throw new ServiceError('not_found', `The user ${user.id} has no key ${keyId}.`);
    },

    async createCode(by, id, purpose) {
      requireSuperuser(by);
      const user = await stored(await find(by, id), users);
      const code = randomBytes(24).toString('base64url');
      const until = new Date(Date.now() + CODE_HOURS * 3_600_000).toISOString();
      await orNotFound(user, codes.put(user.id, purpose, hash(code), until));
      return code;
    },

    async askForVerification(by, email) {
      if (by === undefined) return;
      const user = await users.findByEmail(email);
      if (user?.isVerified && (by.isSuperuser || by.userId === user.id)) {
        throw new ServiceError('invalid_request', 'This email is already verified. Please log in.');
      }
    },

    async verify(email, code) {
      const user = await users.findByEmail(email);
      const owner = await codes.take('verify', hash(code));
      if (user === undefined || owner !== user.id) throw badCode('verification');
      await users.update(user.id, { isVerified: true });
    },

    async resetPassword(code, next) {
      passwords.check(next.password);
      const owner = await codes.take('reset', hash(code));
      if (owner === undefined) throw badCode('reset');
      return setPassword(owner, next);
    },
  };
}

/** A user of an OAuth issuer is built from the token; nothing is stored. */
function userOfPrincipal({ userId, email, isSuperuser }: Principal): User {
  const now = new Date().toISOString();
  return {
    id: userId,
    email,
    passwordHash: null,
    tokenStamp: '',
    isSuperuser,
    isActive: true,
    isVerified: true,
    name: null,
    bio: null,
    profilePicture: null,
    metadata: {},
    limitsOverrides: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function stored(user: User, users: UserStore['users']): Promise<User> {
  if ((await users.get(user.id)) !== undefined) return user;
  throw new ServiceError(
    'forbidden',
    'Users of an OAuth issuer get their tokens there; this server stores nothing about them.',
  );
}

/** Permissions can be changed by superusers only, and the default admin's not at all. */
function checkChange(by: Principal, user: User, change: Profile): void {
  const { isSuperuser, isActive, isVerified, limitsOverrides, password, passwordHash, email } = change;
  const rights = [isSuperuser, isActive, isVerified, limitsOverrides, password, passwordHash];
  if (!by.isSuperuser && rights.some((right) => right !== undefined)) {
    throw new ServiceError('forbidden', 'Only a superuser changes the rights, the limits and the password of a user.');
  }
  const isOwn = user.id === defaultAdmin.userId;
  if (isOwn && (isSuperuser === false || isActive === false || (email ?? user.email) !== user.email)) {
    throw defaultAdminUnchangeable();
  }
}

const hash = (code: string): string => createHash('sha256').update(code, 'utf8').digest('hex');

const notOwnAccount = () => new ServiceError('forbidden', 'Only the user and superusers may do this.');

const defaultAdminUnchangeable = () =>
  new ServiceError(
    'invalid_request',
    'The built-in user of this server cannot be deleted, deactivated or demoted, and its e-mail address cannot be changed.',
  );

const badCode = (kind: string) =>
  new ServiceError('invalid_request', `This ${kind} code is wrong, was used, or has expired; ask for a new one.`);
