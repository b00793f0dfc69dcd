import { expect, it } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { embedNames } from '../../src/graph/embed-names.ts';
import { createGraphSearch } from '../../src/store/sql/graph/create-graph-search.ts';
import { capitalisedWords } from '../support/capitalised-words.ts';
import { describeEngines } from '../support/engines.ts';
import { ingest, newChunk, newDocument, testSpace } from '../support/store.ts';

const { signal } = new AbortController();

/** An embedder whose vectors represent how a name relates to water. */
const meaning: EmbeddingModel = {
  name: testSpace.embedder,
  isLexical: false,
  space: async () => testSpace,
  embed: async (texts) =>
    texts.map((text) => (/Seine|water/.test(text) ? Float32Array.of(1, 0, 0, 0) : Float32Array.of(0, 1, 0, 0))),
};

describeEngines('Names', ({ openTestStore }) => {
  it('embeds each name once in the current space, so that it is found by meaning', async () => {
    const store = await openTestStore();
    await ingest(store, newDocument('one'), [newChunk(0, 'Paris lies on the Seine.')]);
    const task = await store.documentGraphs.next();
    if (task) await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
    expect(await embedNames(store.graphNames, { ...meaning, isLexical: true }, signal)).toBe(0);
    expect(await embedNames(store.graphNames, meaning, signal)).toBe(2);
    expect(await embedNames(store.graphNames, meaning, signal)).toBe(0);
    const elsewhere = { ...meaning, space: async () => ({ ...testSpace, version: '2' }) };
    expect(await embedNames(store.graphNames, elsewhere, signal)).toBe(0);

    const [vector = new Float32Array()] = await meaning.embed(['water'], 'query', signal);
    const limits = { entities: 1, relationships: 0, communities: 0 };
    const search = createGraphSearch(store.sqlite);
    const found = await search.search({ text: 'water', vector, filter: { kind: 'all' }, limits });
    expect(found.entities).toMatchObject([{ found: { name: 'Seine' }, score: 1 }]);
    const hidden = await search.search({ text: 'water', vector, filter: { kind: 'none' }, limits });
    expect(hidden.entities).toEqual([]);
  });
});
