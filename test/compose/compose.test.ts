import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { compose } from '../../src/compose/compose.ts';
import { estimateTokens } from '../../src/documents/estimate-tokens.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { collectAnswer } from '../../src/rag/collect-answer.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { adaptersOver, type OpenStore, onlyEmbedder, testSettings } from '../support/adapters.ts';
import { onlyModel, says, scriptedModel } from '../support/scripted-model.ts';
import { ingest, newChunks, newDocument, openTestStore } from '../support/store.ts';

/** Another embedder than the one of the test store. */
const another: EmbeddingModel = {
  ...createLexicalHash(),
  name: 'test/another',
  space: async () => ({ embedder: 'test/another', version: '1', dimensions: 768 }),
};

async function filledStore() {
  const store = await openTestStore();
  await ingest(store, newDocument('a'), newChunks(2));
  return store;
}

it('uses neither the store nor the index before it is started', () => {
  // What is composed here is never closed: its timers must not fire while other tests of this process run.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const used: string[] = [];
  const ports = (name: string) => new Proxy({}, { get: (_, method) => () => used.push(`${name}.${String(method)}`) });
  const store = new Proxy({}, { get: (_, name) => ports(String(name)) }) as OpenStore;
  compose(adaptersOver(store));
  expect(used).toEqual([]);
});

it('refuses a corpus of another embedder, and closes the adapters', async () => {
  let isClosed = false;
  const close = async () => {
    isClosed = true;
  };
  const adapters = adaptersOver(await filledStore(), { embedders: onlyEmbedder(another), close });
  await expect(compose(adapters).start()).rejects.toMatchObject({ code: 'embedding_mismatch' });
  expect(isClosed).toBe(true);
});

it('closes the adapters if the database is lost while the leadership of the servers is given up', async () => {
  let isClosed = false;
  const close = async () => {
    isClosed = true;
  };
  const lost = () => Promise.reject(new Error('The database is gone.'));
  const others = new Proxy({}, { get: (_, name) => (name === 'resign' ? lost : () => true) }) as NonNullable<
    OpenStore['others']
  >;
  const adapters = adaptersOver({ ...(await openTestStore()), others }, { close });
  await expect(compose(adapters).start()).rejects.toThrow('The database is gone.');
  expect(isClosed).toBe(true);
});

it('opens a corpus of another embedder when it is to be reindexed', async () => {
  const store = await filledStore();
  const services = await compose(adaptersOver(store, { embedders: onlyEmbedder(another) })).start({ embedder: 'keep' });
  onTestFinished(() => services.close());
  for await (const _ of services.reindex({ back: false }, new AbortController().signal));
  expect(services.embeddings.name).toBe('test/another');
  expect(await store.spaces.current()).toMatchObject({ embedder: 'test/another' });
});

it('asks configured servers only for the status that operators see', async () => {
  const adapters = adaptersOver(await openTestStore());
  const silentServers = async () => ['SEARXNG_URL: http://127.0.0.1:8888 does not answer (ECONNREFUSED).'];
  const services = await compose({ ...adapters, deployment: { ...adapters.deployment, silentServers } }).start();
  onTestFinished(() => services.close());
  expect((await services.status()).problems).toEqual([]);
  expect(await services.status({ asksServers: true })).toMatchObject({
    problems: await silentServers(),
    hints: expect.arrayContaining(await silentServers()),
  });
});

it('prepares the first search in the records, and then loads the embedder even if that failed', async () => {
  const prepared: string[] = [];
  const store = await openTestStore();
  const prepare = async () => {
    prepared.push('records');
    throw new Error('The database is closed.');
  };
  const embedder: EmbeddingModel = { ...createLexicalHash(), preload: async () => void prepared.push('embedder') };
  const adapters = adaptersOver(
    { ...store, chunks: { ...store.chunks, prepare } },
    { embedders: onlyEmbedder(embedder) },
  );
  const services = await compose(adapters).start();
  onTestFinished(() => services.close());
  await expect(services.preload()).rejects.toThrow('The database is closed.');
  expect(prepared).toEqual(['records', 'embedder']);
});

it('gives a model no more passages than its context window has room for', async () => {
  const model = scriptedModel(says('It stands in the harbour [1].'));
  const settings = { ...testSettings, contextTokens: 4_000 };
  const services = await compose(adaptersOver(await openTestStore(), { models: onlyModel(model), settings })).start();
  onTestFinished(() => services.close());
  const { signal } = new AbortController();
  const passages = Array.from({ length: 8 }, (_, at) => `Lighthouse ${at} ${'stands in the harbour '.repeat(200)}.`);
  const { document } = await services.ingestor.submit({
    content: { kind: 'chunks', chunks: passages },
    ownerId: defaultAdmin.userId,
    metadata: {},
    collectionIds: [],
    settings: {},
  });
  for await (const event of services.ingestor.run(document.id, signal)) if (event.type === 'failed') throw event.error;
  const search = { ...defaultSearchSettings, kind: 'full_text' as const };
  const request = { query: 'Where does the lighthouse stand?', search, generation: {}, includeTitle: true };
  const { search: found } = await collectAnswer(services.answerer.answer(request, signal));
  expect(found.chunks).toHaveLength(8);
  const asked = model.requests[0]?.messages.map(({ text }) => text).join('\n') ?? '';
  expect(estimateTokens(asked)).toBeLessThan(3_000);
});
