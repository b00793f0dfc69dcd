import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import { newId, userId } from '../../../documents/ids.ts';
import { ServiceError } from '../../../errors.ts';
import type { User, UserChange, UserRecords } from '../../user-records.ts';
import type { Database } from '../database.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import type { UserTable } from './user-tables.ts';

/** UserRecords in the record store. */
export function createUsers({ reader, writer }: Database): UserRecords {
  return {
    async get(id) {
      const row = await reader.selectFrom('users').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
      return row && toUser(row);
    },

    async findByEmail(email) {
      const row = await byEmail(reader, email);
      return row && toUser(row);
    },

    list: ({ ids, offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        let wanted = transaction.selectFrom('users');
        const lowerCase = ids.map((id) => id.toLowerCase());
        if (ids.length > 0) wanted = wanted.where('id', 'in', lowerCase);
        const { total } = await wanted.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
        const rows = await wanted.selectAll().orderBy('key', 'desc').offset(offset).limit(limit).execute();
        return { items: rows.map(toUser), total };
      }),

    create: ({ email, passwordHash, isSuperuser, isVerified, name = null, bio = null, profilePicture = null }) =>
      writer.transaction().execute(async (transaction) => {
        if ((await byEmail(transaction, email)) !== undefined) throw emailTaken(email);
        const now = new Date().toISOString();
        const row = {
          id: await freeId(transaction, email),
          email: email.toLowerCase(),
          password_hash: passwordHash,
          token_stamp: randomUUID(),
          is_superuser: Number(isSuperuser),
          is_active: 1,
          is_verified: Number(isVerified),
          name,
          bio,
          profile_picture: profilePicture,
          metadata: '{}',
          limits_overrides: null,
          created_at: now,
          updated_at: now,
        };
        await transaction.insertInto('users').values(row).execute();
        return toUser(row);
      }),

    update: (id, change) =>
      writer.transaction().execute(async (transaction) => {
        if (change.email !== undefined) {
          const other = await byEmail(transaction, change.email);
          if (other !== undefined && other.id !== id.toLowerCase()) throw emailTaken(change.email);
        }
        const row = await transaction
          .updateTable('users')
          .set({ ...toColumns(change), updated_at: new Date().toISOString() })
          .where('id', '=', id.toLowerCase())
          .returningAll()
          .executeTakeFirst();
        return row && toUser(row);
      }),

    remove: (id) =>
      writer.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('request_counts').where('user_id', '=', id.toLowerCase()).execute();
        const { numDeletedRows } = await transaction
          .deleteFrom('users')
          .where('id', '=', id.toLowerCase())
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),
  };
}

const byEmail = (database: Queries, email: string) =>
  database.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();

/**
 * The id that the contract derives from the e-mail, or a random id if a user who has changed their e-mail since still
 * has it.
 */
async function freeId(database: Queries, email: string): Promise<string> {
  const id = userId(email);
  const holder = await database.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
  return holder === undefined ? id : newId();
}

const emailTaken = (email: string): ServiceError =>
  new ServiceError('conflict', `A user with the e-mail ${email.toLowerCase()} exists already.`);

function toColumns(change: UserChange) {
  const { email, passwordHash, tokenStamp, isSuperuser, isActive, isVerified, name, bio, profilePicture } = change;
  const { metadata, limitsOverrides } = change;
  return {
    ...(email !== undefined && { email: email.toLowerCase() }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(tokenStamp !== undefined && { token_stamp: tokenStamp }),
    ...(isSuperuser !== undefined && { is_superuser: Number(isSuperuser) }),
    ...(isActive !== undefined && { is_active: Number(isActive) }),
    ...(isVerified !== undefined && { is_verified: Number(isVerified) }),
    ...(name !== undefined && { name }),
    ...(bio !== undefined && { bio }),
    ...(profilePicture !== undefined && { profile_picture: profilePicture }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...(limitsOverrides !== undefined && {
      limits_overrides: limitsOverrides === null ? null : JSON.stringify(limitsOverrides),
    }),
  };
}

function toUser(row: Omit<Selectable<UserTable>, 'key'>): User {
  return {
    id: row.id,
    email: row.email,
    passwordHash: row.password_hash,
    tokenStamp: row.token_stamp,
    isSuperuser: row.is_superuser !== 0,
    isActive: row.is_active !== 0,
    isVerified: row.is_verified !== 0,
    name: row.name,
    bio: row.bio,
    profilePicture: row.profile_picture,
    metadata: JSON.parse(row.metadata) as Metadata,
    limitsOverrides: row.limits_overrides === null ? null : (JSON.parse(row.limits_overrides) as Metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
