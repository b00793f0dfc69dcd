import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { SharedChange } from '../../../src/store/other-servers.ts';
import { openChangeFeed } from '../../../src/store/postgres/change-feed.ts';
import { openConnections } from '../../../src/store/postgres/postgres-dialect.ts';
import type { Tables } from '../../../src/store/sql/schema.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';

const HERE = 7;
const PATIENT = { timeout: 20_000, interval: 20 };

async function openFeed(prunes = false) {
  const url = await postgresDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const received: SharedChange[] = [];
  const feed = await openChangeFeed({
    query: (query) => client.query(query),
    server: HERE,
    prunes: () => prunes,
    pollMs: 5,
    pruneMs: 5,
  });
  onTestFinished(feed.close);
  feed.onChange((change) => received.push(change));
  return { url, feed, received };
}

function connect(url: string): Kysely<Tables> {
  const connection = openConnections({ name: url, url, size: 2 });
  onTestFinished(() => connection.destroy());
  return connection;
}

const note = (id: string, server: number | null = null) => sql`
  insert into cluster_changes (server_key, topic, kind, id) values (${server}, 'documents', 'changed', ${id})`;

const names = (changes: readonly SharedChange[]) => changes.map(({ id }) => id);

describePostgres('The change feed', () => {
  it('reports each change once, also of transactions that are committed out of order', async () => {
    const { url, received } = await openFeed();
    const [one, other] = [connect(url), connect(url)];
    await one.transaction().execute(async (early) => {
      await note('early').execute(early);
      await note('late').execute(other);
      await vi.waitFor(() => expect(names(received)).toEqual(['late']), PATIENT);
      await note('later').execute(other);
      await vi.waitFor(() => expect(names(received)).toEqual(['late', 'later']), PATIENT);
    });
    await vi.waitFor(() => expect(names(received)).toEqual(['late', 'later', 'early']), PATIENT);
    await note('last').execute(other);
    await vi.waitFor(() => expect(names(received)).toEqual(['late', 'later', 'early', 'last']), PATIENT);
  });

  it('leaves out the changes of its own server, those that were rolled back and topics of newer versions', async () => {
    const { url, feed, received } = await openFeed();
    const connection = connect(url);
    await feed.announce({ topic: 'followed_sources', kind: 'sync', id: 'own' });
    await note('own', HERE).execute(connection);
    const rolledBack = connection.transaction().execute(async (transaction) => {
      await note('rolled back').execute(transaction);
      throw new Error('Nothing of it stays.');
    });
    await expect(rolledBack).rejects.toThrow();
    await sql`insert into cluster_changes (topic, kind) values ('telepathy', 'changed')`.execute(connection);
    await note('other', HERE + 1).execute(connection);
    await vi.waitFor(() => expect(names(received)).toEqual(['other']), PATIENT);
  });

  it('reports that anything may have changed after too many changes', async () => {
    const { url, received } = await openFeed();
    await sql`insert into cluster_changes (topic, kind, id)
      select 'documents', 'changed', n::text from generate_series(1, 5000) n`.execute(connect(url));
    await vi.waitFor(() => expect(received.map(({ topic }) => topic)).toContain('prompts'), PATIENT);
    expect(received).toHaveLength(5);
    expect(received[0]).toEqual({ topic: 'documents', kind: 'removed' });
  });

  it('removes changes that all servers have read', async () => {
    const { url } = await openFeed(true);
    const connection = connect(url);
    await sql`insert into cluster_changes (topic, kind, id, written_at)
      values ('documents', 'changed', 'old', now() - interval '1 hour'), ('documents', 'changed', 'new', now())`.execute(
      connection,
    );
    await vi.waitFor(async () => {
      const { rows } = await sql<{ id: string }>`select id from cluster_changes`.execute(connection);
      expect(rows).toEqual([{ id: 'new' }]);
    }, PATIENT);
  });
});
