import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Copied, Migration } from './migration.ts';
import { r2rUser, readRecord } from './r2r-records.ts';

const created = z.object({ id: z.string() });

/**
 * Copies a user with permissions and password hash, which this server replaces by its own at the first login. An
 * existing user with this e-mail is not changed; one left incomplete by an interrupted run is completed.
 */
export async function copyUser(
  { to, state }: Migration,
  user: z.output<typeof r2rUser>,
  present: string | undefined,
): Promise<Copied> {
  const known = state.find('user', user.id);
  if (known?.state === 'done') return { to: known.to, outcome: 'present' };
  const isFresh = present === undefined || known !== undefined;
  const profile = {
    ...(user.name !== '' && { name: user.name }),
    ...(user.bio !== '' && { bio: user.bio }),
    ...(user.profile_picture !== '' && { profile_picture: user.profile_picture }),
  };
  // Recorded before the user is created, so that after a crash the user is not taken for one that already existed.
  if (isFresh && known === undefined) await state.note({ kind: 'user', from: user.id, to: '', state: 'begun' });
  const earlier = known?.to || present;
  const { id, hasHash } = earlier === undefined ? await create(to, user, profile) : { id: earlier, hasHash: false };
  let reason = isFresh ? undefined : 'A user with this e-mail is here already, and keeps their password.';
  if (isFresh) {
    await state.note({ kind: 'user', from: user.id, to: id, state: 'begun' });
    const rights = {
      ...(user.is_superuser && { is_superuser: true }),
      ...(!user.is_active && { is_active: false }),
    };
    const update = (body: object) => to.post(`/users/${id}`, body);
    if (Object.keys(rights).length > 0) await update(rights);
    if (user.hashed_password === '') {
      reason = 'R2R has no password of this user (login with Google or GitHub); set one with citewell users code.';
    } else if (!hasHash) {
      await update({ password_hash: user.hashed_password }).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
        reason = 'The password is kept in a form that cannot be read; set a new one with citewell users code.';
      });
    }
  }
  await state.note({ kind: 'user', from: user.id, to: id, state: 'done' });
  return { to: id, outcome: isFresh ? 'copied' : 'present', ...(reason !== undefined && { reason }) };
}

/** Creates the user, with R2R's hash if it can be read. */
async function create(to: Migration['to'], user: z.output<typeof r2rUser>, profile: object) {
  // A random password that nobody knows. If R2R's hash is stored, the slow hash of this password is not computed.
  const password = randomUUID();
  const body = { email: user.email, password, is_verified: user.is_verified, ...profile };
  let hasHash = user.hashed_password !== '';
  const hash = hasHash ? { password_hash: user.hashed_password } : {};
  const made = await to.post('/users', { ...body, ...hash }).catch((error: unknown) => {
    // Retry without the hash, which may be unreadable (the caller reports that); any other fault fails again.
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    hasHash = false;
    return to.post('/users', body);
  });
  return { id: readRecord(created, made, 'user').id, hasHash };
}

/** Identifiers of the users on the target, by lower-case e-mail. */
export async function usersHere(to: Migration['to']): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const entry of to.list('/users')) {
    const { id, email } = readRecord(r2rUser, entry, 'user');
    found.set(email.toLowerCase(), id);
  }
  return found;
}
