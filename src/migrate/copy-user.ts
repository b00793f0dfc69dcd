import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Copied, Migration } from './migration.ts';
import { r2rUser, readRecord } from './r2r-records.ts';

const created = z.object({ id: z.string() });

/**
 * Copies a user with rights and password: the hash is kept until the first login, and replaced by one of this server
 * then. A user with this e-mail stays as it is; one left incomplete by an interrupted run is completed.
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
  // Noted before, so that a run which is killed here does not take the user for one of this server.
  if (isFresh && known === undefined) await state.note({ kind: 'user', from: user.id, to: '', state: 'begun' });
  const id = (known?.to || present) ?? (await create(to, user, profile));
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
    } else {
      await update({ password_hash: user.hashed_password }).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
        reason = 'The password is kept in a form that cannot be read; set a new one with citewell users code.';
      });
    }
  }
  await state.note({ kind: 'user', from: user.id, to: id, state: 'done' });
  return { to: id, outcome: isFresh ? 'copied' : 'present', ...(reason !== undefined && { reason }) };
}

async function create(to: Migration['to'], user: z.output<typeof r2rUser>, profile: object): Promise<string> {
  // Nobody knows this one. Its hash, which takes long, is not made where R2R's is kept.
  const password = randomUUID();
  const body = { email: user.email, password, is_verified: user.is_verified, ...profile };
  const hash = user.hashed_password === '' ? {} : { password_hash: user.hashed_password };
  const made = await to.post('/users', { ...body, ...hash }).catch((error: unknown) => {
    // A hash that cannot be read is spoken of above; all else is refused again.
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    return to.post('/users', body);
  });
  return readRecord(created, made, 'user').id;
}

/** Identifiers of the users here, by e-mail. */
export async function usersHere(to: Migration['to']): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const entry of to.list('/users')) {
    const { id, email } = readRecord(r2rUser, entry, 'user');
    found.set(email.toLowerCase(), id);
  }
  return found;
}
