import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { createSummaries } from '../../../src/store/sql/documents/sql-summaries.ts';
import { openRecordStore } from '../../../src/store/sql/open-store.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { PATIENT } from '../../support/patience.ts';
import { asTestStore, embeddingText, newDocument, publication, type TestStore } from '../../support/store.ts';

async function open(url: string): Promise<TestStore> {
  const index = memoryVectorIndex();
  const store = await openPostgresStore({ url, index, embeddingText, readers: 2 });
  return asTestStore(store, { path: url, index, reopen: () => open(url) });
}

describePostgres('Servers', () => {
  it('do not requeue a summary that another server begins at that moment', async () => {
    const url = await postgresDatabase();
    const [one, two] = [await open(url), await open(url)];
    const { id } = await one.corpus.begin(newDocument('letter'));
    await one.corpus.publish(id, publication('', { summaryModel: 'openai/any' }));
    const { shared } = one.sqlite;
    if (shared === undefined) throw new Error('The database should be shared.');
    let taken: ReturnType<typeof two.summaries.take> | undefined;
    const summaries = createSummaries({
      ...one.sqlite,
      shared: {
        ...shared,
        async documentsInProgress(...query) {
          const keys = await shared.documentsInProgress(...query);
          taken = two.summaries.take();
          await Promise.race([taken, sleep(200)]);
          return keys;
        },
      },
    });
    await summaries.requeue();
    expect(await taken).toMatchObject({ documentId: id });
    expect(await two.summaries.take()).toBeUndefined();
  });

  it('retry taking over the tasks of a server that ended, when the database failed meanwhile', async () => {
    const index = memoryVectorIndex();
    const database = await openPostgres({ url: await postgresDatabase(), readers: 1 });
    const { shared } = database;
    if (shared === undefined) throw new Error('The database should be shared.');
    let gone = () => {};
    let failures = 0;
    const problems: string[] = [];
    const store = await openRecordStore(
      {
        ...database,
        shared: {
          ...shared,
          onGone: (listener) => {
            gone = listener;
          },
          documentsInProgress: async (...query) => {
            if (failures-- > 0) throw new Error('The connection was lost.');
            return shared.documentsInProgress(...query);
          },
        },
      },
      { index, embeddingText, report: (message) => problems.push(message) },
    );
    onTestFinished(() => store.close());
    const { id } = await store.corpus.begin(newDocument('letter'));
    await store.corpus.publish(id, publication('', { summaryModel: 'openai/any' }));
    // As one that is not there any more left it.
    await database.writer.updateTable('documents').set({ summary_status: 'processing' }).execute();
    await sql`delete from cluster_claims`.execute(database.writer);
    let takenOver = 0;
    store.others?.onTakeOver(() => takenOver++);
    failures = 1;
    gone();
    await expect.poll(() => takenOver, PATIENT).toBe(1);
    expect(problems).toEqual([expect.stringContaining('could not be taken over yet')]);
    expect(await store.summaries.take()).toMatchObject({ documentId: id });
  });

  it('add to one conversation at the same time without losing a message, in one order', async () => {
    const url = await postgresDatabase();
    const [one, two] = [await open(url), await open(url)];
    const { id } = await one.conversations.create({ userId: 'a person', name: null });
    const said = Array.from({ length: 10 }, (_, index) => `message ${index}`);
    const add = (store: TestStore, content: string) =>
      store.conversations.append({ conversationId: id, parentId: null, role: 'user', content, metadata: {} });
    await Promise.all(said.map((content, index) => add(index % 2 === 0 ? one : two, content)));
    const onOne = await one.conversations.messages(id);
    expect(onOne.map(({ content }) => content).sort()).toEqual(said);
    expect(await two.conversations.messages(id)).toEqual(onOne);
  });

  it('that lost a task to another one, e.g. after being suspended, can write nothing more for it', async () => {
    const url = await postgresDatabase();
    const [one, two] = [await open(url), await open(url)];
    const { id } = await one.corpus.begin(newDocument('letter'), { queued: true });
    const taken = await one.queue.take({ alone: true });
    const late = await one.queue.hold(id, 1);
    await one.corpus.setStatus(id, 'parsing', late);
    // What another server does when the lease has run out.
    await sql`delete from cluster_claims`.execute(two.sqlite.writer);
    await sql`update ingestion_tasks set state = 'queued'`.execute(two.sqlite.writer);
    await two.queue.take({ alone: true });
    const held = await two.queue.hold(id, 1);
    await two.corpus.setStatus(id, 'storing', held);

    const takenOver = expect.objectContaining({ message: expect.stringContaining('another server') });
    await expect(one.queue.hold(id, 1)).rejects.toEqual(takenOver);
    await expect(one.corpus.setStatus(id, 'parsing', late)).rejects.toEqual(takenOver);
    await expect(one.corpus.fail(id, { reason: 'It failed.', remedy: 'file' }, late)).rejects.toEqual(takenOver);
    await expect(one.corpus.publish(id, publication('late', { attempt: late }))).rejects.toMatchObject({
      code: 'conflict',
    });
    await one.queue.release(id, late);
    if (taken === undefined) throw new Error('The task should be taken.');
    await one.queue.postpone(taken, { reason: 'It failed.', until: new Date() });
    expect(await two.queue.ofDocument(id)).toMatchObject({ state: 'running' });
    await two.corpus.publish(id, publication('', { attempt: held }));
    expect(await one.corpus.get(id)).toMatchObject({ ingestionStatus: 'success' });
  });

  it('do not postpone their own later attempt at the same task', async () => {
    const one = await open(await postgresDatabase());
    const { id } = await one.corpus.begin(newDocument('letter'), { queued: true });
    const first = await one.queue.take({ alone: true });
    await one.queue.release(id, await one.queue.hold(id, 1));
    const second = await one.queue.take({ alone: true });
    if (first === undefined || second === undefined) throw new Error('The task should be taken twice.');
    const later = { reason: 'It failed.', until: new Date() };
    await one.queue.postpone(first, later);
    expect(await one.queue.ofDocument(id)).toMatchObject({ state: 'running', lastError: null });
    await one.queue.postpone(second, later);
    expect(await one.queue.ofDocument(id)).toMatchObject({ state: 'queued', lastError: 'It failed.' });
  });

  it('take over tasks that a stopped server could not return', async () => {
    const url = await postgresDatabase();
    const [one, two] = [await open(url), await open(url)];
    const { id } = await one.corpus.begin(newDocument('letter'), { queued: true });
    await one.queue.take({ alone: true });
    await one.close();
    await expect.poll(async () => (await two.queue.ofDocument(id))?.state, PATIENT).toBe('queued');
  });

  it('that lost a graph or a summary to another one keep neither', async () => {
    const url = await postgresDatabase();
    const [one, two] = [await open(url), await open(url)];
    const { id } = await one.corpus.begin(newDocument('letter'));
    await one.corpus.publish(id, publication('', { summaryModel: 'openai/any' }));
    const [graph, summary] = [await one.documentGraphs.next(), await one.summaries.take()];
    await sql`delete from cluster_claims`.execute(two.sqlite.writer);
    await sql`update documents set extraction_status = 'pending', summary_status = 'pending'`.execute(
      two.sqlite.writer,
    );
    const [itsGraph, itsSummary] = [await two.documentGraphs.next(), await two.summaries.take()];
    if (!graph || !summary || !itsGraph || !itsSummary) throw new Error('Each should be taken.');
    const none = { entities: [], relationships: [] };
    expect(await one.documentGraphs.save(graph, 'any', none)).toBe(false);
    await one.documentGraphs.fail(graph, 'It failed.');
    expect(await one.summaries.keep(summary, { text: 'Late.', by: 'any' })).toBe(false);
    expect(await two.documentGraphs.save(itsGraph, 'any', none)).toBe(true);
    expect(await two.summaries.keep(itsSummary, { text: 'A letter.', by: 'any' })).toBe(true);
  });
});
