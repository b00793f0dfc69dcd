import { randomUUID } from 'node:crypto';
import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { User, UserStore } from '../store/user-records.ts';
import type { Passwords } from './passwords.ts';
import { defaultAdmin } from './principal.ts';

export interface AdminOptions {
  /** Created as a superuser unless a user has that e-mail; sets the default admin's password if it has none. */
  readonly first?: { readonly email: string; readonly password: string } | undefined;
  /** Gives the default admin the well-known password that R2R's test suites expect. */
  readonly knowsTestPassword: boolean;
}

interface AdminParts {
  readonly store: UserStore;
  readonly passwords: Passwords;
  readonly collections: CollectionRecords;
  readonly warn: (message: string) => void;
}

/** Publicly known, so it is only set on request. */
export const TEST_PASSWORD = 'change_me_immediately';

/**
 * At startup, creates the admin from the settings and the record of the default admin, so that nobody else can register
 * its e-mail.
 */
export async function ensureAdmins({ first, knowsTestPassword }: AdminOptions, parts: AdminParts): Promise<void> {
  const { store, passwords, collections, warn } = parts;
  const { users } = store;
  const { userId, email } = defaultAdmin;
  let admin =
    (await users.get(userId)) ??
    (await createUnless(
      () => users.create({ email, passwordHash: null, isSuperuser: true, isVerified: true }),
      () => users.get(userId),
    ));
  await collections.ensure({ id: defaultCollectionId(userId), ownerId: userId, name: 'Default' });
  if (knowsTestPassword) {
    warn(`CITEWELL_R2R_TEST_ADMIN is set: ${email} logs in with a publicly known password. For tests only.`);
    if (!(await hasTestPassword(admin.passwordHash, passwords))) {
      admin = (await users.update(userId, { passwordHash: await passwords.hash(TEST_PASSWORD) })) ?? admin;
    }
  } else if (await hasTestPassword(admin.passwordHash, passwords)) {
    admin = (await users.update(userId, { passwordHash: null, tokenStamp: randomUUID() })) ?? admin;
  }
  if (first === undefined) return;
  const known = admin.email === first.email.toLowerCase() ? admin : await users.findByEmail(first.email);
  if (known !== undefined) {
    if (known.id === userId && known.passwordHash === null) {
      await users.update(userId, { passwordHash: await passwords.hash(first.password) });
    } else if (!known.isSuperuser) {
      warn(
        `CITEWELL_ADMIN_EMAIL names ${known.email}, an existing user who is not an admin; their permissions are unchanged.`,
      );
    }
    return;
  }
  const passwordHash = await passwords.hash(first.password);
  const made = await createUnless(
    () => users.create({ email: first.email, passwordHash, isSuperuser: true, isVerified: true }),
    () => users.findByEmail(first.email),
  );
  await collections.ensure({ id: defaultCollectionId(made.id), ownerId: made.id, name: 'Default' });
}

/** Creates a user, unless another server that starts at the same time has just done so. */
async function createUnless(create: () => Promise<User>, find: () => Promise<User | undefined>): Promise<User> {
  try {
    return await create();
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'conflict';
    const user = isTaken ? await find() : undefined;
    if (user === undefined) throw error;
    return user;
  }
}

const hasTestPassword = async (hash: string | null, passwords: Passwords): Promise<boolean> =>
  hash !== null && passwords.matches(TEST_PASSWORD, hash);
