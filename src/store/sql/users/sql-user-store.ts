import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { newId } from '../../../documents/ids.ts';
import type { ApiKey, ApiKeyRecords, RequestCounts, RevokedTokens, UserCodes, UserStore } from '../../user-records.ts';
import type { Database } from '../database.ts';
import { createUsers } from './sql-users.ts';
import type { ApiKeyTable } from './user-tables.ts';

const SECRET = 'token_secret';

/** UserStore in the record store. */
export function createUserStore(sqlite: Database): UserStore {
  return {
    users: createUsers(sqlite),
    apiKeys: createApiKeys(sqlite),
    revokedTokens: createRevokedTokens(sqlite),
    codes: createUserCodes(sqlite),
    requestCounts: createRequestCounts(sqlite),
    async holdings(userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await sqlite.reader
        .selectFrom('documents')
        .select(({ fn }) => [
          'owner_id',
          fn.countAll<number>().as('documents'),
          fn.sum<number>('size_in_bytes').as('bytes'),
        ])
        .where('owner_id', 'in', userIds)
        .groupBy('owner_id')
        .execute();
      return new Map(rows.map(({ owner_id, documents, bytes }) => [owner_id, { documents, bytes }]));
    },
    signingSecret: () =>
      sqlite.writer.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('settings')
          .values({ name: SECRET, value: randomBytes(48).toString('base64url') })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute();
        const row = await transaction
          .selectFrom('settings')
          .select('value')
          .where('name', '=', SECRET)
          .executeTakeFirstOrThrow();
        return row.value;
      }),
  };
}

function createApiKeys({ reader, writer }: Database): ApiKeyRecords {
  return {
    async findByPublicKey(publicKey) {
      const row = await reader
        .selectFrom('api_keys')
        .selectAll()
        .where('public_key', '=', publicKey)
        .executeTakeFirst();
      return row && toApiKey(row);
    },
    list: (userId, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        const wanted = transaction.selectFrom('api_keys').where('user_id', '=', userId.toLowerCase());
        const { total } = await wanted.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
        const rows = await wanted.selectAll().orderBy('key', 'desc').offset(offset).limit(limit).execute();
        return { items: rows.map(toApiKey), total };
      }),
    async add({ userId, publicKey, secretHash, name, description }) {
      const row = {
        id: newId(),
        user_id: userId.toLowerCase(),
        public_key: publicKey,
        secret_hash: secretHash,
        name,
        description,
        updated_at: new Date().toISOString(),
      };
      await writer.insertInto('api_keys').values(row).execute();
      return toApiKey(row);
    },
    async remove(userId, id) {
      const { numDeletedRows } = await writer
        .deleteFrom('api_keys')
        .where('user_id', '=', userId.toLowerCase())
        .where('id', '=', id.toLowerCase())
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async removeAll(userId) {
      await writer.deleteFrom('api_keys').where('user_id', '=', userId.toLowerCase()).execute();
    },
  };
}

function createRevokedTokens({ reader, writer }: Database): RevokedTokens {
  return {
    async has(name) {
      const row = await reader
        .selectFrom('revoked_tokens')
        .select('token_id')
        .where('token_id', '=', name)
        .where('expires_at', '>=', new Date().toISOString())
        .executeTakeFirst();
      return row !== undefined;
    },
    add: (name, expiresAt) =>
      writer.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('revoked_tokens').where('expires_at', '<', new Date().toISOString()).execute();
        const added = await transaction
          .insertInto('revoked_tokens')
          .values({ token_id: name, expires_at: expiresAt })
          .onConflict((conflict) => conflict.column('token_id').doNothing())
          .executeTakeFirst();
        return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
      }),
  };
}

function createUserCodes({ writer }: Database): UserCodes {
  return {
    async put(userId, purpose, hash, expiresAt) {
      await writer
        .insertInto('user_codes')
        .values({ user_id: userId.toLowerCase(), purpose, code_hash: hash, expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'purpose']).doUpdateSet({ code_hash: hash, expires_at: expiresAt }),
        )
        .execute();
    },
    async take(purpose, hash) {
      const row = await writer
        .deleteFrom('user_codes')
        .where('purpose', '=', purpose)
        .where('code_hash', '=', hash)
        .returningAll()
        .executeTakeFirst();
      return row !== undefined && row.expires_at > new Date().toISOString() ? row.user_id : undefined;
    },
    async withdraw(userId, purpose) {
      await writer
        .deleteFrom('user_codes')
        .where('user_id', '=', userId.toLowerCase())
        .where('purpose', '=', purpose)
        .execute();
    },
  };
}

function createRequestCounts({ reader, writer }: Database): RequestCounts {
  return {
    count: (userId, month) =>
      writer.transaction().execute(async (transaction) => {
        const { requests } = await transaction
          .insertInto('request_counts')
          .values({ user_id: userId, month, requests: 1 })
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'month'])
              .doUpdateSet(({ eb, ref }) => ({ requests: eb(ref('request_counts.requests'), '+', 1) })),
          )
          .returning('requests')
          .executeTakeFirstOrThrow();
        // The first request of a month deletes the counts of earlier months.
        if (requests === 1) await transaction.deleteFrom('request_counts').where('month', '<', month).execute();
        return requests;
      }),
    async of(userId, month) {
      const row = await reader
        .selectFrom('request_counts')
        .select('requests')
        .where('user_id', '=', userId)
        .where('month', '=', month)
        .executeTakeFirst();
      return row?.requests ?? 0;
    },
  };
}

function toApiKey(row: Omit<Selectable<ApiKeyTable>, 'key'>): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    publicKey: row.public_key,
    secretHash: row.secret_hash,
    name: row.name,
    description: row.description,
    updatedAt: row.updated_at,
  };
}
