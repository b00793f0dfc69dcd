import { join } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { newId } from '../../../src/documents/ids.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { records } from '../../../src/store/sql/migrations/0001-records.ts';
import { sqliteFullText } from '../../../src/store/sql/migrations/0002-sqlite-full-text.ts';
import { conversationSummaries } from '../../../src/store/sql/migrations/0003-conversation-summaries.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import type { Tables } from '../../../src/store/sql/schema.ts';
import { sqliteDialect } from '../../../src/store/sql/sqlite/sqlite-dialect.ts';
import { startSqliteThread } from '../../../src/store/sql/sqlite/sqlite-thread.ts';
import { createThreadPool } from '../../../src/store/sql/sqlite/thread-pool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The database as left by the first released version of the program. */
const firstSteps = {
  '0001-records': records,
  '0002-sqlite-full-text': sqliteFullText,
  '0003-conversation-summaries': conversationSummaries,
};

it('brings a database of the first version up to date: owners of collections belong to them, and nothing is lost', async () => {
  const path = join(await temporaryFolder(), 'citewell.db');
  const pool = createThreadPool([startSqliteThread({ path, readOnly: false })]);
  const old = new Kysely<Tables>({ dialect: sqliteDialect(pool, { readOnly: false }) });
  const migrator = new Migrator({ db: old, provider: { getMigrations: async () => firstSteps } });
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const [id, ownerId, time] = [newId(), newId(), '2026-01-02T03:04:05.678Z'];
  const times = { created_at: time, updated_at: time };
  await old
    .insertInto('collections')
    .values({ id, owner_id: ownerId, name: 'Old', ...times })
    .execute();
  await old.insertInto('conversations').values({ id, user_id: ownerId, name: 'Talk', created_at: time }).execute();
  await pool.close();

  const store = await openStore({ path, index: memoryVectorIndex(), embeddingText: ({ text }) => text });
  try {
    expect(await store.collections.get(id)).toEqual({
      id,
      ownerId,
      name: 'Old',
      description: null,
      graphClusterStatus: 'pending',
      graphSyncStatus: 'pending',
      userCount: 1,
      documentCount: 0,
      createdAt: time,
      updatedAt: time,
    });
    expect(await store.collections.idsOfMember(ownerId)).toEqual([id]);
    expect(await store.conversations.get(id)).toMatchObject({ name: 'Talk' });
  } finally {
    await store.close();
  }
});
