import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import { type CorpusEmbedder, createCorpusEmbedder } from '../../../src/embeddings/corpus/corpus-embedder.ts';
import { learnInWorker } from '../../../src/embeddings/lsa/learn-in-worker.ts';
import { createEmbeddingModel } from '../../../src/embeddings/registry.ts';
import { packagedModel } from '../../../src/embeddings/static/static-model.ts';
import { createRetriever } from '../../../src/retrieval/create-retriever.ts';
import { defaultSearchSettings } from '../../../src/retrieval/search-settings.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openStore, type SqlStore } from '../../../src/store/sql/open-store.ts';
import { watchCorpus } from '../../../src/store/watch-corpus.ts';
import { newChunk, newDocument, publication } from '../../support/new-document.ts';
import { PATIENT } from '../../support/patience.ts';
import { subjects } from '../../support/subjects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HASH = 'builtin/lexical-hash-v1';
const LSA = 'builtin/lsa-v1';
const STATIC = 'builtin/static-v1';
const { signal } = new AbortController();
const texts = subjects.chunks.slice(0, 120).map(({ text }) => text);

/** A corpus in its own folder, which can be left as after a crash and reopened. */
async function newCorpus() {
  const path = join(await temporaryFolder(), 'citewell.db');
  const index = memoryVectorIndex();
  const open = async (setting?: string) => {
    const store = await openStore({ path, index, embeddingText: ({ text }) => text });
    onTestFinished(() => store.close());
    const { corpus, changes } = watchCorpus(store.corpus);
    const warnings: string[] = [];
    const embedder = createCorpusEmbedder({
      embedders: {
        required: setting,
        preferred: setting ?? STATIC,
        create: (name) => createEmbeddingModel(name, { modelsFolder: '/nowhere' }),
        packaged: packagedModel,
        learn: learnInWorker,
      },
      spaces: store.spaces,
      learned: store.learned,
      changes,
      pauses: { quiet: 50, longest: 500, retry: 1_000 },
      log: { info: () => {}, warn: (_, message) => warnings.push(message) },
    });
    onTestFinished(() => embedder.learner.close());
    await embedder.open({ keep: false });
    const retriever = createRetriever({ chunks: store.chunks, embedder: embedder.embeddings });
    return {
      store,
      ...embedder,
      warnings,
      add: (some: readonly string[], prefix?: string) => add({ ...store, corpus }, embedder, some, prefix),
      search: (query: string) =>
        retriever.search(query, { ...defaultSearchSettings, filter: everything, kind: 'semantic' }, signal),
      async close() {
        await embedder.learner.close();
        await store.close();
      },
    };
  };
  return { open };
}

/** Adds each text as a document, embedded with the current embedder. */
async function add({ corpus }: SqlStore, { embeddings }: CorpusEmbedder, some: readonly string[], prefix = 'd') {
  const vectors = await embeddings.embed(some, 'passage');
  const space = await embeddings.space();
  for (const [place, text] of some.entries()) {
    const document = newDocument(`${prefix}${place}`, { title: '' });
    const vector = vectors[place];
    if (vector === undefined) throw new Error('A chunk has no vector.');
    await corpus.begin(document);
    await corpus.stage(document.id, [newChunk(0, text, { vector })], { embeddedIn: space });
    await corpus.publish(document.id, publication(text));
  }
}

async function drain<Step, Result>(steps: AsyncGenerator<Step, Result>) {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}

const facts = async ({ spaces }: SqlStore) =>
  (await spaces.list()).map(({ embedder, state, vectors }) => [embedder, state, vectors]);

describe('the embedder of a corpus', () => {
  it('is the packaged one at first, and is trained in the background once the corpus is large enough', async () => {
    const corpus = await (await newCorpus()).open();
    expect(corpus.embeddings.name).toBe(STATIC);
    expect(await corpus.reason()).toMatch(/Once there are 100 passages/);
    // All of them first, so that training does not begin with only some of them.
    await corpus.add(texts);
    corpus.learner.start();
    await vi.waitFor(() => expect(corpus.embeddings.name).toBe(LSA), PATIENT);
    expect(await corpus.reason()).toBe('It was learned from 120 passages of your documents.');
    expect(await facts(corpus.store)).toEqual([
      [STATIC, 'previous', 120],
      [LSA, 'current', 120],
    ]);
    const [name] = subjects.rareNames;
    const { chunks, explanation } = await corpus.search(name?.word ?? '');
    expect(explanation.embedder).toBe(LSA);
    const topics = chunks.map(({ text }) => subjects.chunks.find((each) => each.text === text)?.topic);
    expect(topics.slice(0, 5)).toEqual(Array(5).fill(name?.topic));
  });

  it('fuses semantic search with full text while the packaged embedder is used by default', async () => {
    const { open } = await newCorpus();
    const corpus = await open();
    await corpus.add(['Dogs travel free of charge on a lead.', 'The ferry leaves the harbour at noon.']);
    const { chunks, explanation } = await corpus.search('What does it cost to take my puppy?');
    expect(explanation).toMatchObject({
      embedder: STATIC,
      kind: 'hybrid',
      notes: expect.arrayContaining([expect.stringMatching(/no embeddings have been learned/)]),
    });
    expect(chunks[0]?.text).toMatch(/^Dogs/);
    await drain(corpus.reindex({ model: STATIC, back: false }, signal));
    expect((await corpus.search('harbour')).explanation.kind).toBe('semantic');
    await corpus.close();
    const reopened = await open();
    expect((await reopened.search('harbour')).explanation.kind).toBe('semantic');
  });

  it('of an earlier version is kept until the corpus is large enough for training', async () => {
    const { open } = await newCorpus();
    const first = await open(HASH);
    await first.add(texts.slice(0, 99));
    await first.close();
    const second = await open();
    await drain(second.learner.trainIfDue(signal));
    expect(second.embeddings.name).toBe(HASH);
    await second.add(texts.slice(99, 100), 'last');
    await drain(second.learner.trainIfDue(signal));
    expect(second.embeddings.name).toBe(LSA);
  });

  it('is trained by re-embedding without a name once the corpus is large enough', async () => {
    const corpus = await (await newCorpus()).open();
    await corpus.add(texts.slice(0, 99));
    await drain(corpus.reindex({ back: false }, signal));
    expect(corpus.embeddings.name).toBe(STATIC);
    await corpus.add(texts.slice(99), 'last');
    expect(await corpus.reason()).toMatch(/enough passages \(120\).*"citewell reindex"/);
    await drain(corpus.reindex({ back: false }, signal));
    expect(corpus.embeddings.name).toBe(LSA);
  });

  it('may be the packaged one, which training replaces at run time on request', async () => {
    const { open } = await newCorpus();
    const first = await open(STATIC);
    await first.add(texts);
    expect(await first.reason()).toBe('CITEWELL_EMBEDDING_MODEL names it.');
    expect(await facts(first.store)).toEqual([[STATIC, 'current', 120]]);
    await first.close();
    const second = await open(LSA);
    expect(second.embeddings.name).toBe(STATIC);
    await drain(second.learner.trainIfDue(signal));
    expect(second.embeddings.name).toBe(LSA);
    await drain(second.reindex({ model: STATIC, back: false }, signal));
    expect(second.embeddings).toMatchObject({ name: STATIC, isLearned: true, fullTextShare: 0.8 });
    expect((await second.search('harbour')).explanation).toMatchObject({ embedder: STATIC, kind: 'semantic' });
  });

  it('is restored by the next process from its stored model', async () => {
    const { open } = await newCorpus();
    const first = await open();
    await first.add(texts);
    await drain(first.learner.trainIfDue(signal));
    const space = await first.embeddings.space();
    const [before] = await first.embeddings.embed(['harbour'], 'query');
    await first.close();
    const second = await open();
    expect(await second.embeddings.space()).toEqual(space);
    expect((await second.embeddings.embed(['harbour'], 'query'))[0]).toEqual(before);
    await drain(second.learner.trainIfDue(signal));
    expect(await second.embeddings.space()).toEqual(space);
  });

  it('is trained again as the corpus grows, and vectors of the two models are never compared', async () => {
    const corpus = await (await newCorpus()).open();
    await corpus.add(texts.slice(0, 100));
    await drain(corpus.learner.trainIfDue(signal));
    const [old] = await corpus.embeddings.embed(['harbour'], 'query');
    const before = await corpus.embeddings.space();
    await corpus.add(
      subjects.chunks.slice(120, 180).map(({ text }) => text),
      'more',
    );
    await drain(corpus.learner.trainIfDue(signal));
    const after = await corpus.embeddings.space();
    expect(after).toMatchObject({ embedder: LSA });
    expect(after.version).not.toBe(before.version);
    const stale = { vector: old ?? new Float32Array(), space: before, filter: everything, limit: 3 };
    await expect(corpus.store.chunks.nearest({ ...stale, measure: 'cosine_distance' })).rejects.toMatchObject({
      code: 'embedding_mismatch',
    });
    expect(await corpus.store.learned.read(LSA, before.version)).toBeDefined();
  });

  it('resumes embedding after a killed process, without training again', async () => {
    const { open } = await newCorpus();
    const first = await open();
    await first.add(texts);
    const steps = first.learner.trainIfDue(signal);
    const trained: number[] = [];
    for await (const step of steps) {
      if (step.trained !== undefined) trained.push(step.trained);
      if (step.done === 0 && (await building(first.store)) !== undefined) break;
    }
    expect(trained).toEqual(trained.toSorted((one, other) => one - other));
    expect(new Set(trained).size).toBeGreaterThan(2);
    expect(trained.at(-1)).toBeGreaterThan(0.5);
    const begun = await building(first.store);
    expect(first.embeddings.name).toBe(STATIC);
    await first.close();
    const second = await open();
    expect(second.embeddings.name).toBe(STATIC);
    expect((await second.search('harbour')).explanation.embedder).toBe(STATIC);
    await drain(second.learner.trainIfDue(signal));
    expect((await second.store.spaces.current())?.version).toBe(begun?.version);
  });

  it('is trained again when its stored model is damaged; until then full text answers and chunks wait', async () => {
    const { open } = await newCorpus();
    const first = await open();
    await first.add(texts);
    await drain(first.learner.trainIfDue(signal));
    const { version } = await first.embeddings.space();
    await first.store.learned.keep(LSA, version, new Uint8Array([1, 2, 3]));
    await first.close();

    const second = await open();
    expect(second.warnings).toEqual([expect.stringMatching(/missing or damaged\. It is being retrained/)]);
    await expect(second.search('harbour')).rejects.toMatchObject({ code: 'provider_failed' });
    const [vector] = await second.embeddings.embed(['harbour'], 'passage');
    expect(vector).toHaveLength((await second.embeddings.space()).dimensions);
    expect(await facts(second.store)).toContainEqual([LSA, 'current', 120]);
    expect((await second.search('harbour')).chunks).not.toHaveLength(0);
  });

  it('stays as explicitly chosen, and can be restored', async () => {
    const { open } = await newCorpus();
    const corpus = await open();
    await corpus.add(texts);
    await drain(corpus.reindex({ model: LSA, back: false }, signal));
    const { version } = await corpus.embeddings.space();
    await drain(corpus.reindex({ model: HASH, back: false }, signal));
    expect(await corpus.reason()).toMatch(/chosen for this corpus/);
    await drain(corpus.learner.trainIfDue(signal));
    expect(corpus.embeddings.name).toBe(HASH);
    await drain(corpus.reindex({ back: true }, signal));
    expect(await corpus.embeddings.space()).toMatchObject({ embedder: LSA, version });
  });

  it('named by a setting waits for a corpus to train on, and refuses a corpus of another embedder', async () => {
    const { open } = await newCorpus();
    const first = await open(LSA);
    expect(first.embeddings.name).toBe(STATIC);
    await expect(drain(first.reindex({ model: LSA, back: false }, signal))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('too few'),
    });
    await first.add(texts.slice(0, 30));
    await drain(first.learner.trainIfDue(signal));
    expect(first.embeddings.name).toBe(LSA);
    await first.close();
    await expect(open(HASH)).rejects.toMatchObject({ code: 'embedding_mismatch' });
  });

  it('stops training at once on abort, and leaves the corpus unchanged', async () => {
    const corpus = await (await newCorpus()).open();
    await corpus.add(texts);
    const stop = new AbortController();
    const learning = drain(corpus.learner.train(stop.signal));
    stop.abort();
    await expect(learning).rejects.toThrow();
    expect(await facts(corpus.store)).toEqual([[STATIC, 'current', 120]]);
  });
});

const building = async ({ spaces }: SqlStore) => (await spaces.list()).find(({ state }) => state === 'building');
