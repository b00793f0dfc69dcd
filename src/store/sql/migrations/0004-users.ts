import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Users, their API keys and codes, revoked tokens, and request counts per user. */
export const users: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema
      .createTable('users')
      .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('password_hash', 'text')
      .addColumn('token_stamp', 'text', (column) => column.notNull())
      .addColumn('is_superuser', 'integer', (column) => column.notNull())
      .addColumn('is_active', 'integer', (column) => column.notNull())
      .addColumn('is_verified', 'integer', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('bio', 'text')
      .addColumn('profile_picture', 'text')
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('limits_overrides', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('api_keys')
      .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('public_key', 'text', (column) => column.notNull().unique())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('api_keys_by_user').on('api_keys').columns(['user_id', 'key']).execute();
    await schema
      .createTable('revoked_tokens')
      .addColumn('token_id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('revoked_tokens_by_end').on('revoked_tokens').columns(['expires_at']).execute();
    await schema
      .createTable('user_codes')
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('user_codes_key', ['user_id', 'purpose'])
      .execute();
    await schema
      .createTable('request_counts')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('month', 'text', (column) => column.notNull())
      .addColumn('requests', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('request_counts_key', ['user_id', 'month'])
      .execute();
    await schema.createIndex('request_counts_by_month').on('request_counts').columns(['month']).execute();
  },
};
