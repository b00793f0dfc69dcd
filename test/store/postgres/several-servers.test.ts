import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { createSummaries } from '../../../src/store/sql/documents/sql-summaries.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { asTestStore, embeddingText, newDocument, publication, type TestStore } from '../../support/store.ts';

async function open(url: string): Promise<TestStore> {
  const index = memoryVectorIndex();
  const store = await openPostgresStore({ url, index, embeddingText, readers: 2 });
  return asTestStore(store, { path: url, index, reopen: () => open(url) });
}

describePostgres('Servers', () => {
  it('put back no summary that another one begins at that moment', async () => {
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
        async inWork(...query) {
          const keys = await shared.inWork(...query);
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
});
