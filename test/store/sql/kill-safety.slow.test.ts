import { execFile } from 'node:child_process';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import { PATIENT } from '../../support/patience.ts';
import {
  direction,
  ingest,
  newChunks,
  newDocument,
  openTestStore,
  publication,
  type TestStore,
} from '../../support/store.ts';

const all = { offset: 0, limit: 100 };
const document = newDocument('one');

/** The visible state of the document: its chunks in the records, the full-text index and the vector index. */
async function visible({ corpus, sqlite, spaces, index }: TestStore) {
  const space = await spaces.current();
  const { rows } = await sql<{ count: number }>`select count(*) as count from chunk_terms`.execute(sqlite.reader);
  return {
    chunks: (await corpus.chunksOf(document.id, all)).total,
    fullText: rows[0]?.count,
    indexed: await (await index.open(space?.collection ?? '', 4)).count(),
  };
}

/** Opens the store in a new process after a crash; returns when recovery is complete. */
async function startAgain(store: TestStore): Promise<TestStore> {
  const next = await store.reopen();
  await next.maintenance.audit();
  return next;
}

const steps: Readonly<Record<string, (store: TestStore) => Promise<unknown>>> = {
  'the document was begun': async ({ corpus }) => corpus.begin(document),
  'a stage was set': async ({ corpus }) => {
    await corpus.begin(document);
    await corpus.setStatus(document.id, 'embedding');
  },
  'chunks were staged': async ({ corpus }) => {
    await corpus.begin(document);
    await corpus.stage(document.id, newChunks(5));
    await corpus.setStatus(document.id, 'storing');
  },
  'the index had taken the vectors': async (store) => {
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks(5));
    await putStagedIntoIndex(store);
  },
  'the index had taken some of the vectors': async (store) => {
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks(5));
    await putStagedIntoIndex(store, 2);
  },
};

async function putStagedIntoIndex({ sqlite, spaces, index }: TestStore, count = Number.POSITIVE_INFINITY) {
  const space = await spaces.current();
  const keys = await sqlite.reader.selectFrom('chunks').select('key').orderBy('key').execute();
  const records = keys.map(({ key }) => ({ key, vector: direction(key) })).slice(0, count);
  await (await index.open(space?.collection ?? '', 4)).upsert(records);
}

describe('a process that is killed', () => {
  for (const [moment, reach] of Object.entries(steps)) {
    it(`leaves nothing visible, and a resumable document, when ${moment}`, async () => {
      const store = await openTestStore();
      await reach(store);
      const next = await startAgain(store);
      expect(await visible(next)).toEqual({ chunks: 0, fullText: 0, indexed: 0 });
      expect((await next.corpus.unfinished()).map(({ id }) => id)).toEqual([document.id]);
      expect(await next.corpus.bytesOf(document.id)).toBeDefined();

      await next.corpus.setStatus(document.id, 'parsing');
      await next.corpus.stage(document.id, newChunks(5));
      await next.corpus.publish(document.id, publication('text'));
      expect(await visible(next)).toEqual({ chunks: 5, fullText: 5, indexed: 5 });
      expect(await next.corpus.unfinished()).toEqual([]);
    });

    it(`leaves the old chunks of a replaced document when ${moment}`, async () => {
      const store = await openTestStore();
      await ingest(store, document, newChunks(3, 'old'));
      const { begin } = store.corpus;
      const corpus = { ...store.corpus, begin: (given: typeof document) => begin(given, { replace: true }) };
      await reach({ ...store, corpus });
      const next = await startAgain(store);
      expect(await visible(next)).toEqual({ chunks: 3, fullText: 3, indexed: 3 });
      expect((await next.corpus.unfinished()).map(({ id }) => id)).toEqual([document.id]);
    });
  }

  it('has published every document for which publish returned', async () => {
    const store = await openTestStore();
    await ingest(store, document, newChunks(3));
    const next = await startAgain(store);
    expect(await visible(next)).toEqual({ chunks: 3, fullText: 3, indexed: 3 });
    expect(await next.corpus.get(document.id)).toMatchObject({ ingestionStatus: 'success' });
  });

  it('lets the next process apply pending removals to the index', async () => {
    const store = await openTestStore();
    await ingest(store, document, newChunks(3));
    store.index.simulateOutage();
    await store.corpus.remove(everything);
    await store.close();
    store.index.endOutage('intact');
    const next = await startAgain(store);
    expect(await visible(next)).toEqual({ chunks: 0, fullText: 0, indexed: 0 });
  });

  it('loses nothing when it is killed for real while documents stream in', async () => {
    const store = await openTestStore();
    await store.close();
    const support = new URL('../../support/ingest-endlessly.ts', import.meta.url).pathname;
    const acknowledged = await new Promise<string[]>((resolve, reject) => {
      const child = execFile(process.execPath, [support, store.path], { timeout: PATIENT.timeout }, () => {});
      let output = '';
      child.stdout?.on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > 12) child.kill('SIGKILL');
      });
      child.once('error', reject);
      child.once('close', () => resolve(output.split('\n').slice(0, -1)));
    });
    expect(acknowledged.length).toBeGreaterThan(10);
    const next = await startAgain(store);
    for (const id of acknowledged) {
      expect(await next.corpus.get(id)).toMatchObject({ ingestionStatus: 'success', chunkCount: 20 });
      expect((await next.corpus.chunksOf(id, all)).items).toHaveLength(20);
    }
    const { documents, chunks } = await next.corpus.stats();
    expect(chunks).toBe(documents.success * 20);
    expect((await visible(next)).indexed).toBe(chunks);
  });
});

describe('an index that is down', () => {
  const whenInStep = ({ maintenance }: TestStore) =>
    expect.poll(() => maintenance.state(), PATIENT).toEqual({ kind: 'in_step' });

  it('does not prevent publication, and gets the vectors when it is back', async () => {
    const store = await openTestStore();
    await whenInStep(store);
    const { index, corpus, maintenance } = store;
    index.simulateOutage();
    await ingest(store, document, newChunks(4));
    expect(await corpus.get(document.id)).toMatchObject({ ingestionStatus: 'success', chunkCount: 4 });
    expect(maintenance.state().kind).toBe('down');
    expect((await corpus.stats()).pendingIndexWrites).toBe(4);
    await expect(maintenance.replayOutbox()).rejects.toMatchObject({ code: 'store_failed' });

    index.endOutage('intact');
    await whenInStep(store);
    expect((await corpus.stats()).pendingIndexWrites).toBe(0);
    expect((await visible(store)).indexed).toBe(4);
  });

  it('is retried automatically', async () => {
    const store = await openTestStore();
    await whenInStep(store);
    store.index.simulateOutage();
    await ingest(store, document, newChunks(4));
    store.index.endOutage('silently');
    await whenInStep(store);
    expect((await visible(store)).indexed).toBe(4);
  });

  it('is rebuilt from the records when it returns empty', async () => {
    const store = await openTestStore();
    await ingest(store, document, newChunks(7));
    store.index.simulateOutage();
    store.index.endOutage('empty');
    await whenInStep(store);
    expect(await visible(store)).toEqual({ chunks: 7, fullText: 7, indexed: 7 });
  });
});

describe('a document that is deleted during publication', () => {
  it('leaves nothing in the index', async () => {
    const store = await openTestStore();
    await store.maintenance.audit();
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks(4));
    const publishing = store.corpus.publish(document.id, publication('text'));
    const removing = store.corpus.remove(everything);
    const [published, removed] = await Promise.allSettled([publishing, removing]);
    expect(removed).toMatchObject({ status: 'fulfilled', value: { documents: 1 } });
    if (published.status === 'rejected') expect(published.reason).toMatchObject({ code: 'not_found' });
    await store.maintenance.replayOutbox();
    expect(await visible(store)).toEqual({ chunks: 0, fullText: 0, indexed: 0 });
  });

  it('or is submitted again, is published by the later submission alone', async () => {
    const store = await openTestStore();
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks(4));
    const publishing = store.corpus.publish(document.id, publication('text')).catch((error: unknown) => error);
    await store.corpus.begin({ ...document, title: 'later' }, { replace: true });
    await publishing;
    await store.corpus.stage(document.id, newChunks(2));
    await store.corpus.publish(document.id, publication('later text'));
    await store.maintenance.replayOutbox();
    expect(await visible(store)).toEqual({ chunks: 2, fullText: 2, indexed: 2 });
    expect(await store.corpus.get(document.id)).toMatchObject({ title: 'later', chunkCount: 2 });
  });
});

describe('a publication whose chunks were dropped by a later submission', () => {
  it('is refused, and leaves the later one to be ingested', async () => {
    const store = await openTestStore();
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks(4));
    await store.corpus.begin({ ...document, title: 'later' }, { replace: true });
    const publishing = store.corpus.publish(document.id, publication('text'));
    await expect(publishing).rejects.toMatchObject({ code: 'conflict' });
    expect((await store.corpus.unfinished()).map(({ title }) => title)).toEqual(['later']);
  });
});

describe('an audit', () => {
  it('adds missing and removes unknown vectors, also when the counts agree', async () => {
    const store = await openTestStore();
    await ingest(store, document, newChunks(6));
    const space = await store.spaces.current();
    const collection = await store.index.open(space?.collection ?? '', 4);
    const [first, second] = (await collection.keys(all)).sort();
    await collection.remove([first ?? 0, second ?? 0]);
    await collection.upsert([
      { key: 901, vector: direction(1) },
      { key: 902, vector: direction(2) },
    ]);
    await store.maintenance.audit();
    const keys = await store.sqlite.reader.selectFrom('chunks').select('key').orderBy('key').execute();
    expect((await collection.keys(all)).sort((a, b) => a - b)).toEqual(keys.map(({ key }) => key));
    expect(store.maintenance.state()).toEqual({ kind: 'in_step' });
  });

  it('leaves the vectors of an ingestion under way alone', async () => {
    const store = await openTestStore();
    await ingest(store, document, newChunks(2));
    await store.corpus.begin(newDocument('two'));
    await store.corpus.stage(newDocument('two').id, newChunks(3));
    await putStagedIntoIndex(store);
    await store.maintenance.audit();
    expect((await visible(store)).indexed).toBe(5);
  });
});
