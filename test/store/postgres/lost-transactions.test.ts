import { execFileSync } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { readQueryTerms } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { joinServers } from '../../../src/store/postgres/join-servers.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { openConnections } from '../../../src/store/postgres/postgres-dialect.ts';
import type { SqlStore } from '../../../src/store/sql/open-store.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { PATIENT } from '../../support/patience.ts';
import { databaseUrl, killPostgres, startAgain, startPostgres, stopPostgres } from '../../support/postgres-server.ts';
import { embeddingText, ingest, newChunks, newDocument, publication, testSpace } from '../../support/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A server of its own, as it is killed. */
async function ownServer() {
  const { bin } = inject('postgres');
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  const server = { bin, folder: await temporaryFolder(), runner: process.pid };
  const url = databaseUrl(server.folder, 'citewell');
  await startPostgres(server, async () => {
    const admin = databaseUrl(server.folder, 'postgres');
    const connection = openConnections({ name: admin, url: admin, size: 1 });
    await sql`create database citewell template template0`.execute(connection);
    await connection.destroy();
  });
  onTestFinished(() => stopPostgres(server.folder));
  const data = join(server.folder, 'data');
  const kept = join(server.folder, 'kept');
  return {
    url,
    /** Copies the files as they are now. */
    async keep() {
      await checkpoint(url);
      await killPostgres(server.folder);
      execFileSync('cp', ['-a', data, kept]);
      await startAgain(server);
    },
    /** What was committed since is lost. */
    async lose() {
      await killPostgres(server.folder);
      await rm(data, { recursive: true });
      await rename(kept, data);
      await startAgain(server);
    },
  };
}

async function checkpoint(url: string): Promise<void> {
  const connection = openConnections({ name: url, url, size: 1 });
  await sql`checkpoint`.execute(connection);
  await connection.destroy();
}

/** Whether this many servers have given a sign of life since now. */
async function waitForMembers({ others }: SqlStore, count: number): Promise<void> {
  const now = Date.now();
  await expect
    .poll(async () => (await others?.members())?.filter(({ seenAt }) => seenAt.getTime() > now), PATIENT)
    .toHaveLength(count);
}

describePostgres('Servers', () => {
  it('read everything again when the database has lost transactions that they saw', async () => {
    const { url, keep, lose } = await ownServer();
    const index = memoryVectorIndex();
    const reports: string[] = [];
    const open = async () => {
      const report = (message: string) => void reports.push(message);
      const store = await openPostgresStore({ url, index, embeddingText, readers: 2, report });
      onTestFinished(() => store.close());
      return store;
    };
    const words = async (store: SqlStore, word: string) => {
      const { hits } = await store.sqlite.search.call('matchingChunks', {
        ...readQueryTerms(word),
        filter: null,
        limit: 100,
      });
      return hits.map(({ id }) => id).sort();
    };
    // Each store notices only when it asks that its connections are gone.
    const wordsAgain = (store: SqlStore, word: string) => vi.waitFor(() => words(store, word), PATIENT);
    const [one, two] = [await open(), await open()];
    await one.spaces.claim(testSpace);
    await ingest(one, newDocument('kept'), newChunks(3, 'keel'));
    const { id: task } = await one.corpus.begin(newDocument('task'), { queued: true });
    await one.queue.take({ alone: true });
    await keep();
    for (const store of [one, two]) expect(await wordsAgain(store, 'keel')).toHaveLength(3);
    await waitForMembers(one, 2);

    // What is lost then: documents, and the end of the task.
    const lost = newDocument('lost');
    await ingest(one, lost, newChunks(3, 'keel gull'));
    await two.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: task });
    for (const store of [one, two]) expect(await words(store, 'gull')).toHaveLength(3);
    await waitForMembers(one, 2);
    const heard: string[] = [];
    two.others?.onChange(({ topic, kind }) => void heard.push(`${topic} ${kind}`));
    await lose();

    await vi.waitFor(async () => expect(await words(one, 'keel')).toHaveLength(3), PATIENT);
    // As many as were lost, so that versions and keys are those of the lost ones.
    const later = newDocument('later');
    // The answer to any step may be lost with its connection, so each is repeated as the ingestor would.
    const laterChunks = newChunks(3, 'keel tern');
    await vi.waitFor(async () => {
      const begun = await one.corpus.get(later.id);
      if (begun?.ingestionStatus === 'success') return;
      if (begun === undefined) await one.corpus.begin(later);
      await one.corpus.stage(later.id, laterChunks);
      await one.corpus.publish(later.id, publication(laterChunks.map(({ text }) => text).join('\n')));
    }, PATIENT);
    const fresh = await open();
    for (const word of ['keel', 'gull', 'tern']) {
      const expected = await words(fresh, word);
      expect(expected).toHaveLength({ keel: 6, gull: 0, tern: 3 }[word] ?? -1);
      for (const store of [one, two]) expect(await wordsAgain(store, word)).toEqual(expected);
    }
    for (const change of ['prompts changed', 'vector_spaces changed']) {
      await vi.waitFor(() => expect(heard).toContain(change), PATIENT);
    }
    await vi.waitFor(() => expect(reports.join()).toContain('lost what it held before'), PATIENT);
    // The task that one of them had finished is done again.
    await vi.waitFor(async () => expect((await two.queue.ofDocument(task))?.state).toBe('queued'), PATIENT);
    await vi.waitFor(() => expect(one.maintenance.state().kind).toBe('in_step'), PATIENT);
    expect((await one.corpus.get(later.id))?.id).toBe(later.id);
    expect(await one.corpus.get(lost.id)).toBeUndefined();
  });

  it('whose claim of a document was lost do not take the claim of another one for their own', async () => {
    const url = await postgresDatabase();
    const index = memoryVectorIndex();
    const open = async () => {
      const store = await openPostgresStore({ url, index, embeddingText, readers: 1 });
      onTestFinished(() => store.close());
      return store;
    };
    const [one, two] = [await open(), await open()];
    await one.corpus.begin(newDocument('task'), { queued: true });
    const { token } = (await one.queue.take({ alone: true })) ?? {};
    expect(token).toBeTypeOf('number');
    const { writer } = one.sqlite;
    await sql`update ingestion_tasks set state = 'queued'`.execute(writer);
    await sql`delete from cluster_claims`.execute(writer);
    // Sequences are what they were before the lost transactions.
    await sql`alter sequence if exists cluster_tokens restart with ${sql.lit(token)}`.execute(writer);
    const again = await two.queue.take({ alone: true });
    expect(again?.token).toBeTypeOf('number');
    expect(again?.token).not.toBe(token);
  });

  it('that start after lost entries do not get the key of a server that is still running', async () => {
    const url = await postgresDatabase();
    const open = async () => {
      const server = await joinServers({ name: 'database', url, isAlone: false });
      onTestFinished(() => server.leave());
      return server;
    };
    const one = await open();
    const connection = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => connection.destroy());
    await sql`delete from cluster_servers`.execute(connection);
    await sql`alter sequence cluster_servers_key_seq restart with ${sql.lit(one.key)}`.execute(connection);
    const two = await open();
    expect(two.key).not.toBe(one.key);
    await vi.waitFor(async () => expect(await one.members(connection)).toHaveLength(2), PATIENT);
  });
});
