import { z } from 'zod';
import { userId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { CodePurpose } from '../store/user-records.ts';
import type { ServerCalls } from './server-calls.ts';

const userRecord = z.looseObject({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  is_superuser: z.boolean(),
  is_active: z.boolean(),
  is_verified: z.boolean(),
  num_files: z.number(),
  created_at: z.string(),
});

/** A user as commands show it; member names are those of the HTTP interface, for scripts. */
export type UserRecord = Readonly<z.output<typeof userRecord>>;

/** Changes to a user, with the member names of the HTTP API. */
export interface UserChanges {
  readonly is_superuser?: boolean;
  readonly is_active?: boolean;
  readonly is_verified?: boolean;
  readonly password?: string;
}

/** Users as a command sees them, for the admin of the data folder. Methods throw ServiceError. */
export interface UsersClient {
  list(page: UsersPage): Promise<{ readonly users: readonly UserRecord[]; readonly total: number }>;
  create(user: { readonly email: string; readonly password: string; readonly name?: string }): Promise<UserRecord>;
  update(id: string, change: UserChanges): Promise<UserRecord>;
  /** Deletes the user with everything they own; returns the number of deleted documents. */
  remove(id: string): Promise<number>;
  /** A code to set a new password with, or to verify the e-mail. */
  code(id: string, purpose: CodePurpose): Promise<string>;
}

interface UsersPage {
  readonly offset: number;
  readonly limit: number;
  readonly ids?: readonly string[];
}

/** Manages users through the HTTP API. */
export function httpUsers({ call }: Pick<ServerCalls, 'call'>): UsersClient {
  const at = (id: string) => `/users/${encodeURIComponent(id)}`;
  return {
    async list({ offset, limit, ids = [] }) {
      const named = ids.map((id) => `&ids=${encodeURIComponent(id)}`).join('');
      const answer = await call('GET', `/users?offset=${offset}&limit=${limit}${named}`);
      return { users: z.array(userRecord).parse(answer.results), total: answer.total_entries ?? 0 };
    },
    async create(body) {
      return userRecord.parse((await call('POST', '/users', { body })).results);
    },
    async update(id, body) {
      return userRecord.parse((await call('POST', at(id), { body })).results);
    },
    async remove(id) {
      return z.object({ documents: z.number() }).parse((await call('DELETE', at(id))).results).documents;
    },
    async code(id, purpose) {
      const { results } = await call('POST', `${at(id)}/codes`, { body: { purpose } });
      return z.object({ code: z.string() }).parse(results).code;
    },
  };
}

const CONCURRENCY = 1_000;

/** The user with that e-mail. Throws `not_found`. */
export async function findUser(client: UsersClient, email: string): Promise<UserRecord> {
  const wanted = email.toLowerCase();
  // The identifier is derived from the e-mail address with which the user was created, which seldom changes.
  const [likely] = (await client.list({ offset: 0, limit: 1, ids: [userId(wanted)] })).users;
  if (likely?.email === wanted) return likely;
  for (let offset = 0; ; offset += CONCURRENCY) {
    const { users } = await client.list({ offset, limit: CONCURRENCY });
    const found = users.find((user) => user.email === wanted);
    if (found !== undefined) return found;
    if (users.length < CONCURRENCY) {
      throw new ServiceError('not_found', `There is no user ${email}. List them: citewell users list`);
    }
  }
}
