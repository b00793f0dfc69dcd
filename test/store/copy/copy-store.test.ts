import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import { readCatalog } from '../../../src/store/copy/catalog.ts';
import type { CopyEvent } from '../../../src/store/copy/copy-events.ts';
import type { Side } from '../../../src/store/copy/copy-progress.ts';
import { copyStore, verifyCopy } from '../../../src/store/copy/copy-store.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { openStore, type SqlStore } from '../../../src/store/sql/open-store.ts';
import { openSqlite } from '../../../src/store/sql/sqlite/open-sqlite.ts';
import { capitalisedWords } from '../../support/capitalised-words.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { embeddingText, newDocument, openTestStore, testSpace } from '../../support/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { directionOf, ingestTexts, timestamp } from '../sql/versions/ingest-texts.ts';

const QUESTIONS = [
  'How do I back up the database?',
  'several servers on PostgreSQL',
  'which models run on this machine',
  'who may read a document of a collection',
  'sandbox without network',
  'What happens when a server is killed?',
];

/** The project's own documentation, in two versions of which one chapter changed, with a graph, users and conversations. */
async function fill(store: SqlStore): Promise<string> {
  const collectionId = '11111111-1111-4111-8111-111111111111';
  await store.collections.ensure({ id: collectionId, ownerId: 'ann', name: 'Handbook' });
  for (const file of globSync('docs/*.md').sort().slice(0, 6)) {
    const texts = readFileSync(file, 'utf8')
      .split(/\n\s*\n/)
      .slice(0, 60);
    const metadata = { z: 1, a: { list: [1, 2.5, null, true], text: 'a "b" \u{1f600}' } };
    await ingestTexts(store, newDocument(file, { collectionIds: [collectionId], metadata }), texts);
  }
  const asOf = await timestamp();
  const [first = ''] = globSync('docs/*.md').sort();
  await ingestTexts(store, newDocument(first, { collectionIds: [collectionId] }), [
    'A lighthouse.',
    'Of granite\0 blocks.',
  ]);
  const second = newDocument(globSync('docs/*.md').sort()[1] ?? '');
  await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: second.id });
  const task = await store.documentGraphs.next();
  if (task !== undefined) await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
  await store.graphs.pull(collectionId, { force: false });
  await store.graphs.createEntity(collectionId, { name: 'Skerry', description: 'A lighthouse.' });
  const { id } = await store.conversations.create({ userId: 'ann', name: 'Talk' });
  const message = { conversationId: id, parentId: null, role: 'user', content: 'Where?', metadata: {} } as const;
  await store.conversations.append(message);
  await store.prompts.put({ id: collectionId, name: 'own', template: '{query}', inputTypes: { query: 'str' } });
  return asOf;
}

async function answers(store: SqlStore, asOf: string): Promise<unknown> {
  const found: unknown[] = [];
  for (const text of QUESTIONS) {
    const query = { text, filter: everything, limit: 10 };
    for (const time of [undefined, asOf]) {
      const hits = await store.chunks.matching({ ...query, asOf: time });
      found.push(hits.map(({ id, score }) => [id, score.toFixed(9)]));
    }
    const near = await store.chunks.nearest({
      vector: directionOf(text),
      space: testSpace,
      measure: 'cosine_distance',
      filter: everything,
      limit: 10,
    });
    found.push(near.map(({ id, score }) => [id, score.toFixed(5)]));
    const limits = { entities: 5, relationships: 5, communities: 5 };
    const graph = await store.graphSearch.search({ text, vector: null, filter: everything, limits });
    found.push(JSON.parse(JSON.stringify(graph)));
  }
  return found;
}

async function sqliteSide(path: string): Promise<Side> {
  const database = await openSqlite({ path, readers: 2, isCopying: true });
  onTestFinished(() => database.close());
  return { name: path, database };
}

async function postgresSide(url: string): Promise<Side> {
  const database = await openPostgres({ url, readers: 2, isCopying: true });
  onTestFinished(() => database.close());
  return { name: url, database };
}

async function all(events: AsyncGenerator<CopyEvent>): Promise<readonly CopyEvent[]> {
  const seen: CopyEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const comparison = (events: readonly CopyEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== 'compared') throw new Error('Nothing was compared.');
  return last.tables;
};

const { signal } = new AbortController();
const index = () => ({ index: memoryVectorIndex(), embeddingText, readers: 1 });

describePostgres('Copying all records', () => {
  it('to PostgreSQL and back keeps every row, key and answer', async () => {
    const first = await openTestStore();
    const asOf = await fill(first);
    const expected = await answers(first, asOf);
    await first.close();

    const url = await postgresDatabase();
    const [source, target] = [await sqliteSide(first.path), await postgresSide(url)];
    const tables = comparison(await all(copyStore(source, target, signal)));
    expect(tables.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect(tables.length).toBeGreaterThan(45);
    // None is left out because one side lacks it, or because it has no key.
    const names = (await readCatalog(source.database.reader)).map(({ name }) => name);
    expect(tables.map(({ table }) => table).sort()).toEqual(names.toSorted());
    expect(tables.filter(({ rows }) => rows[0] > 0).map(({ table }) => table)).toEqual(
      expect.arrayContaining([
        'chunks',
        'chunk_vectors',
        'past_chunks',
        'document_files',
        'graph_entities',
        'messages',
      ]),
    );
    await target.database.close();
    const moved = await openPostgresStore({ url, ...index() });
    onTestFinished(() => moved.close());
    expect(await answers(moved, asOf)).toEqual(expected);
    await moved.close();

    const path = await migratedDatabase(join(await temporaryFolder(), 'citewell.db'));
    const [from, back] = [await postgresSide(url), await sqliteSide(path)];
    expect(comparison(await all(copyStore(from, back, signal))).every(({ isEqual }) => isEqual)).toBe(true);
    expect(comparison(await all(verifyCopy(source, back, signal))).filter(({ isEqual }) => !isEqual)).toEqual([]);
    await back.database.close();
    const again = await openStore({ path, ...index() });
    onTestFinished(() => again.close());
    expect(await answers(again, asOf)).toEqual(expected);
    // A key that was used once is not used again.
    await ingestTexts(again, newDocument('new'), ['Something new.']);
    const highest = await sql<{ key: number }>`select max(key) as key from chunks`.execute(again.sqlite.reader);
    const before = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'chunks'`.execute(
      source.database.reader,
    );
    expect(highest.rows[0]?.key).toBe((before.rows[0]?.seq ?? 0) + 1);
  });

  it('continues after an interruption, and lets no server use what is incomplete', async () => {
    const first = await openTestStore();
    await fill(first);
    await first.close();
    const url = await postgresDatabase();
    const source = await sqliteSide(first.path);
    for (const stage of ['copy', 'full_text', 'compare'] as const) {
      const target = await postgresSide(url);
      const ending = new AbortController();
      const copying = (async () => {
        for await (const event of copyStore(source, target, ending.signal)) {
          if (event.type === 'progress' && event.stage === stage) ending.abort();
        }
      })();
      await expect(copying).rejects.toThrow(/the same command continues/);
      await target.database.close();
      await expect(openPostgresStore({ url, ...index() })).rejects.toThrow(/is an incomplete copy of .*migrate store/);
    }
    const target = await postgresSide(url);
    await expect(openPostgresStore({ url, ...index() })).rejects.toThrow(
      /are being copied by "citewell migrate store"/,
    );
    const events = await all(copyStore(source, target, signal));
    expect(events[0]).toMatchObject({ type: 'began', how: 'continued' });
    expect(events.filter((event) => event.type === 'progress').map(({ stage }) => stage)).not.toContain('copy');
    expect(comparison(events).every(({ isEqual }) => isEqual)).toBe(true);
    await target.database.close();
    await (await openPostgresStore({ url, ...index() })).close();
  });

  it('refuses to go on when the source was used meanwhile, and a target with records', async () => {
    const first = await openTestStore();
    await fill(first);
    await first.close();
    const url = await postgresDatabase();
    const target = await postgresSide(url);
    const ending = new AbortController();
    ending.abort();
    const source = await sqliteSide(first.path);
    await expect(all(copyStore(source, target, ending.signal))).rejects.toThrow(/continues/);
    await source.database.close();
    await (await openStore({ path: first.path, ...index() })).close();
    await expect(all(copyStore(await sqliteSide(first.path), target, signal))).rejects.toThrow(
      /a server has used that one since/,
    );

    const used = await postgresDatabase();
    const store = await openPostgresStore({ url: used, ...index() });
    await store.conversations.create({ userId: 'ann', name: null });
    await store.close();
    const copying = await postgresSide(used);
    await expect(all(copyStore(await sqliteSide(first.path), copying, signal))).rejects.toThrow(
      /is not empty: there are rows in conversations\. .*nothing was changed/,
    );
    await copying.database.close();
    const server = await openPostgres({ url: used, readers: 1 });
    onTestFinished(() => server.close());
    await expect(postgresSide(used)).rejects.toThrow(/A server uses the database/);
  });
});
