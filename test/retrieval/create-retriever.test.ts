import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { createRetriever, type RetrieverParts } from '../../src/retrieval/create-retriever.ts';
import type { QueryVariants } from '../../src/retrieval/rewrite-query.ts';
import { defaultSearchSettings, type SearchSettings } from '../../src/retrieval/search-settings.ts';
import type { ChunkSearch, TextQuery, VectorQuery } from '../../src/store/chunk-search.ts';

const { signal } = new AbortController();
const settings = (change: Partial<SearchSettings> = {}): SearchSettings => ({ ...defaultSearchSettings, ...change });

const chunk = (id: string, rank: number, leg: 'semantic' | 'fullText'): ScoredChunk => ({
  id,
  documentId: 'd',
  ownerId: 'o',
  collectionIds: [],
  text: id,
  order: 0,
  start: 0,
  end: 1,
  page: null,
  headingPath: [],
  metadata: {},
  score: 1 / rank,
  [leg]: { rank, score: 1 / rank },
});

const keyOf = (id: string): number => [...id].reduce((key, letter) => key * 131 + letter.charCodeAt(0), 0);

/** Search legs that answer from lists and record their queries. */
function legs({
  near = [],
  matching = [],
}: {
  readonly near?: readonly string[];
  readonly matching?: readonly string[];
}) {
  const asked: { nearest: VectorQuery[]; matching: TextQuery[]; read: number[] } = {
    nearest: [],
    matching: [],
    read: [],
  };
  const chunks: ChunkSearch = {
    async nearest(query) {
      asked.nearest.push(query);
      return near.slice(0, query.limit).map((id, place) => ({ ...chunk(id, place + 1, 'semantic'), key: keyOf(id) }));
    },
    async nearestRanking(query) {
      return (await chunks.nearest(query)).map(({ key, score }, place) => ({ key, rank: place + 1, score }));
    },
    async matching(query) {
      asked.matching.push(query);
      return matching.slice(0, query.limit).map((id, place) => chunk(id, place + 1, 'fullText'));
    },
    async ranking(query) {
      asked.matching.push(query);
      return matching.slice(0, query.limit).map((id, place) => {
        const rank = place + 1;
        return { key: keyOf(id), rank, score: 1 / rank };
      });
    },
    async read(keys) {
      asked.read.push(...keys);
      const known = [...near, ...matching].filter((id) => keys.includes(keyOf(id)));
      return new Map(known.map((id) => [keyOf(id), { ...chunk(id, 1, 'fullText'), fullText: undefined }]));
    },
  };
  return { chunks, asked };
}

function embedder(change: Partial<EmbeddingModel> = {}): EmbeddingModel & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'test/embedder',
    isLexical: false,
    space: async () => ({ embedder: 'test/embedder', version: '1', dimensions: 2 }),
    async embed(texts) {
      asked.push(...texts);
      return texts.map((text) => Float32Array.of(text.length, 1));
    },
    ...change,
    asked,
  };
}

const retriever = (parts: Partial<RetrieverParts> = {}) =>
  createRetriever({ chunks: legs({}).chunks, embedder: embedder(), ...parts });

const failing = (code: 'provider_failed' | 'cancelled' | 'embedding_mismatch') =>
  embedder({ embed: () => Promise.reject(new ServiceError(code, 'The embedder is gone.')) });

describe('the retriever', () => {
  it('searches semantically by default', async () => {
    const { chunks, asked } = legs({ near: ['a', 'b'] });
    const outcome = await retriever({ chunks }).search('question', settings(), signal);
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(outcome.explanation).toMatchObject({ kind: 'semantic', semanticHits: 2, fullTextHits: null, hybrid: null });
    expect(asked.matching).toEqual([]);
  });

  it('searches hybrid, led by full text, with a lexical embedder', async () => {
    const { chunks } = legs({ near: ['a', 'b', 'c'], matching: ['c', 'b', 'a'] });
    const lexical = embedder({ isLexical: true });
    const outcome = await retriever({ chunks, embedder: lexical }).search('question', settings(), signal);
    expect(outcome.explanation.kind).toBe('hybrid');
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('fuses both legs and returns the rank in each', async () => {
    const { chunks } = legs({ near: ['a', 'b'], matching: ['b', 'c'] });
    const outcome = await retriever({ chunks }).search('question', settings({ kind: 'hybrid', limit: 3 }), signal);
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['b', 'c', 'a'].sort((one, two) => score(two) - score(one)));
    const [b] = outcome.chunks.filter(({ id }) => id === 'b');
    expect(b).toMatchObject({ semantic: { rank: 2 }, fullText: { rank: 1 } });
    expect(b?.score).toBeCloseTo((5 / 52 + 1 / 51) / 6, 12);
    const [a] = outcome.chunks.filter(({ id }) => id === 'a');
    expect(a?.fullText).toBeUndefined();
    expect(outcome.explanation.hybrid).toEqual({ semanticWeight: 5, fullTextWeight: 1, fullTextLimit: 200, rrfK: 50 });

    function score(id: string): number {
      const ranks: Record<string, [number, number]> = { a: [1, 200], b: [2, 1], c: [3, 2] };
      const [near = 0, matching = 0] = ranks[id] ?? [];
      return 5 / (50 + near) + 1 / (50 + matching);
    }
  });

  it('fuses by scores with a trained embedder, and searches again near the best hits', async () => {
    const { chunks, asked } = legs({ near: ['a', 'b', 'c'], matching: ['c', 'b', 'a'] });
    const vectorsOf = async (keys: readonly number[]) => new Map(keys.map((key) => [key, Float32Array.of(0, 1)]));
    const learned = embedder({ isLexical: true, isLearned: true, embed: async () => [Float32Array.of(1, 0)] });
    const searching = retriever({ chunks: { ...chunks, vectorsOf }, embedder: learned });
    const { explanation } = await searching.search('question', settings({ limit: 2 }), signal);
    expect(explanation).toMatchObject({ kind: 'hybrid', fusion: 'scores', hybrid: { fullTextWeight: 0.6 } });
    expect(asked.nearest.map(({ limit }) => limit)).toEqual([200, 200]);
    expect([...(asked.nearest[1]?.vector ?? [])]).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);

    const weighted = settings({ kind: 'hybrid', hybrid: { semanticWeight: 5 } });
    expect((await searching.search('question', weighted, signal)).explanation.fusion).toBe('ranks');
    expect(asked.nearest).toHaveLength(3);
  });

  it('searches hybrid by scores with a small model on this machine', async () => {
    const { chunks } = legs({ near: ['a', 'b', 'c'], matching: ['c', 'b', 'a'] });
    const searching = retriever({ chunks, embedder: embedder({ isSmall: true, fullTextShare: 0.7 }) });
    const { explanation } = await searching.search('question', settings(), signal);
    expect(explanation).toMatchObject({ kind: 'hybrid', fusion: 'scores', hybrid: { fullTextWeight: 0.7 } });
    const semantic = await searching.search('question', settings({ kind: 'semantic' }), signal);
    expect(semantic.explanation.kind).toBe('semantic');
  });

  it('adds full text to a semantic search with a lexical embedder, and says so', async () => {
    const { chunks } = legs({ near: ['a', 'b', 'c'], matching: ['c', 'b', 'a'] });
    const parts = { chunks, embedder: embedder({ isLexical: true }) };
    const { chunks: found, explanation } = await retriever(parts).search('q', settings({ kind: 'semantic' }), signal);
    expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    expect(explanation).toMatchObject({ kind: 'hybrid', notes: [expect.stringMatching(/test\/embedder knows words/)] });
    const learned = retriever({ chunks, embedder: embedder({ isLexical: true, isLearned: true }) });
    expect((await learned.search('q', settings({ kind: 'semantic' }), signal)).explanation.kind).toBe('semantic');
  });

  it('says so if no passage contains a word of the query', async () => {
    const hybrid = settings({ kind: 'hybrid' });
    const unmatched = retriever({ chunks: legs({ near: ['a', 'b'] }).chunks });
    const { chunks, explanation } = await unmatched.search('photosynthesis', hybrid, signal);
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(explanation.notes).toEqual([expect.stringMatching(/^No passage contains a word of the query/)]);

    const semantic = await unmatched.search('photosynthesis', settings({ kind: 'semantic' }), signal);
    expect(semantic.explanation.notes).toEqual([]);
    const matched = retriever({ chunks: legs({ near: ['a', 'b'], matching: ['b'] }).chunks });
    expect((await matched.search('photosynthesis', hybrid, signal)).explanation.notes).toEqual([]);
  });

  it('continues where the last page ended', async () => {
    const { chunks } = legs({ near: ['a', 'b', 'c', 'd'], matching: ['a', 'b', 'c', 'd'] });
    for (const kind of ['semantic', 'full_text', 'hybrid'] as const) {
      const outcome = await retriever({ chunks }).search('q', settings({ kind, limit: 2, offset: 1 }), signal);
      expect(outcome.chunks.map(({ id }) => id)).toEqual(['b', 'c']);
    }
  });

  it('takes all pages of a hybrid search from one ranking', async () => {
    const near = Array.from({ length: 40 }, (_, place) => `n${place}`);
    const matching = Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? `n${39 - place}` : `m${place}`));
    const { chunks } = legs({ near, matching });
    const pages: string[] = [];
    for (let offset = 0; offset < 60; offset += 5) {
      const outcome = await retriever({ chunks }).search('q', settings({ kind: 'hybrid', limit: 5, offset }), signal);
      pages.push(...outcome.chunks.map(({ id }) => id));
    }
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).toHaveLength(60);
  });

  it('reads only those matches that a hybrid search returns', async () => {
    const near = ['a', 'b', 'c', 'd'];
    const { chunks, asked } = legs({ near, matching: ['m', 'n', 'd', 'o', 'p', 'q'] });
    const hybrid = { fullTextWeight: 100, semanticWeight: 1 };
    const search = (limit: number) =>
      retriever({ chunks }).search('q', settings({ kind: 'hybrid', limit, hybrid }), signal);
    expect((await search(3)).chunks.map(({ id }) => id)).toEqual(['m', 'n', 'd']);
    expect(asked.read).toEqual(['m', 'n', 'd'].map(keyOf));
  });

  it('asks the vector index, the slower leg, before the words are searched', async () => {
    const { chunks } = legs({ near: ['a'], matching: ['a'] });
    const asked: string[] = [];
    const recording: ChunkSearch = {
      ...chunks,
      nearestRanking(query) {
        asked.push('vectors');
        return chunks.nearestRanking(query);
      },
      ranking(query) {
        asked.push('words');
        return chunks.ranking(query);
      },
    };
    await retriever({ chunks: recording }).search('q', settings({ kind: 'hybrid' }), signal);
    expect(asked).toEqual(['vectors', 'words']);
  });

  it('reads the first chunks of both legs with the semantic ranking of a hybrid search', async () => {
    const near = Array.from({ length: 30 }, (_, place) => `n${place}`);
    const matching = Array.from({ length: 30 }, (_, place) => (place % 3 === 0 ? `n${29 - place}` : `m${place}`));
    const { chunks, asked } = legs({ near, matching });
    const search = (parts: ChunkSearch, change: Partial<SearchSettings> = {}) =>
      retriever({ chunks: parts }).search('q', settings({ kind: 'hybrid', limit: 10, ...change }), signal);
    const plain = (await search(chunks)).chunks;
    expect(asked.read).toHaveLength(10);
    asked.read.length = 0;

    let given: readonly number[] = [];
    const readingAhead: ChunkSearch = {
      ...chunks,
      async nearestRanking({ readAhead, ...query }) {
        const found = await chunks.nearestRanking(query);
        await nextTurn();
        const first = found.slice(0, readAhead?.first).map(({ key }) => key);
        given = [...first, ...(readAhead?.others() ?? [])];
        readAhead?.receive(await legs({ near, matching }).chunks.read(given));
        return found;
      },
    };
    for (const hybrid of [{}, { semanticWeight: 1 }, { semanticWeight: 1, fullTextWeight: 9 }]) {
      expect((await search(readingAhead, { hybrid })).chunks).toEqual((await search(chunks, { hybrid })).chunks);
      expect(given.length).toBeLessThanOrEqual(20);
    }
    asked.read.length = 0;
    expect((await search(readingAhead)).chunks).toEqual(plain);
    expect(asked.read).toEqual([]);
    // A chunk that was not read ahead: all are read in one query.
    const lacking: ChunkSearch = {
      ...readingAhead,
      nearestRanking: (query) =>
        readingAhead.nearestRanking({
          ...query,
          ...(query.readAhead && {
            readAhead: {
              ...query.readAhead,
              receive: (read) => query.readAhead?.receive(new Map([...read].filter(([key]) => key !== keyOf('n0')))),
            },
          }),
        }),
    };
    expect((await search(lacking)).chunks).toEqual(plain);
    expect(asked.read).toHaveLength(10);
  });

  it('searches again when a document was replaced between the legs of a hybrid search', async () => {
    const older = legs({ near: ['old'], matching: ['new'] });
    const newer = legs({ near: ['new'], matching: ['new'] });
    let isReplaced = false;
    const chunks: ChunkSearch = {
      nearest: newer.chunks.nearest,
      nearestRanking: (query) => (isReplaced ? newer : older).chunks.nearestRanking(query),
      ranking: (query) => (isReplaced ? newer : older).chunks.ranking(query),
      matching: newer.chunks.matching,
      async read(keys) {
        isReplaced = true;
        return newer.chunks.read(keys);
      },
    };
    const found = await retriever({ chunks }).search('q', settings({ kind: 'hybrid' }), signal);
    expect(found.chunks.map(({ id }) => id)).toEqual(['new']);
    expect(newer.asked.read).toEqual([...['new', 'old'].map(keyOf), keyOf('new')]);
  });

  it('leaves out what is deleted in every attempt', async () => {
    const { chunks } = legs({ near: ['a', 'b'], matching: ['b'] });
    const read: ChunkSearch['read'] = async (keys) => chunks.read(keys.filter((key) => key !== keyOf('a')));
    const found = await retriever({ chunks: { ...chunks, read } }).search('q', settings({ kind: 'hybrid' }), signal);
    expect(found.chunks.map(({ id }) => id)).toEqual(['b']);
  });

  it('passes filter and distance measure to the legs', async () => {
    const { chunks, asked } = legs({});
    const filter = { kind: 'compare', field: 'year', op: 'eq', value: 1 } as const;
    const asking = settings({ kind: 'hybrid', filter, measure: 'l2_distance' });
    await retriever({ chunks }).search('q', asking, signal);
    expect(asked.nearest[0]).toMatchObject({ filter, measure: 'l2_distance' });
    expect(asked.matching[0]).toMatchObject({ filter, text: 'q' });
  });

  it('embeds a repeated query once', async () => {
    const model = embedder();
    const search = retriever({ embedder: model });
    await search.search('same', settings(), signal);
    await search.search('same', settings({ offset: 10 }), signal);
    expect(model.asked).toEqual(['same']);
  });

  it.each([
    ['an empty query', ' \n', {}, /query is empty/],
    [
      'a full-text limit below the limit',
      'q',
      { kind: 'hybrid', limit: 20, hybrid: { fullTextLimit: 10 } },
      /full_text_limit/,
    ],
    ['two weights of nothing', 'q', { kind: 'hybrid', hybrid: { fullTextWeight: 0, semanticWeight: 0 } }, /both 0/],
    ['a negative weight', 'q', { kind: 'hybrid', hybrid: { fullTextWeight: -1 } }, /numbers from 0/],
    ['a limit of nothing', 'q', { limit: 0 }, /"limit"/],
    ['a negative offset', 'q', { offset: -1 }, /"offset"/],
  ] as const)('refuses %s', async (_, query, change, message) => {
    const searching = retriever().search(query, settings(change), signal);
    await expect(searching).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });

  it('uses more full-text candidates when the limit exceeds their default', async () => {
    const { chunks, asked } = legs({});
    await retriever({ chunks }).search('q', settings({ kind: 'hybrid', limit: 500 }), signal);
    expect(asked.matching[0]?.limit).toBe(500);
  });

  it('answers a hybrid search by full text alone while the embedder is down, and says so', async () => {
    const { chunks } = legs({ matching: ['a', 'b'] });
    const search = retriever({ chunks, embedder: failing('provider_failed') });
    const outcome = await search.search('q', settings({ kind: 'hybrid' }), signal);
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(outcome.explanation).toMatchObject({ semanticHits: null, fullTextHits: 2 });
    expect(outcome.explanation.notes.join()).toMatch(/full-text results only/);
  });

  it('fails a purely semantic search while the embedder is down', async () => {
    const searching = retriever({ embedder: failing('provider_failed') }).search('q', settings(), signal);
    await expect(searching).rejects.toMatchObject({ code: 'provider_failed' });
  });

  it('reports that the vectors are of another embedder', async () => {
    const search = retriever({ embedder: failing('embedding_mismatch') });
    const searching = search.search('q', settings({ kind: 'hybrid' }), signal);
    await expect(searching).rejects.toMatchObject({ code: 'embedding_mismatch' });
  });

  it('ends when the caller aborts', async () => {
    const leaving = new AbortController();
    leaving.abort();
    await expect(retriever().search('q', settings(), leaving.signal)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('strategies that need a model', () => {
  const written = (...texts: string[]): QueryVariants => ({ write: async () => texts });

  it.each(['hyde', 'rag_fusion'] as const)('%s runs a plain search without one, and says so', async (strategy) => {
    const { chunks } = legs({ near: ['a'] });
    const outcome = await retriever({ chunks }).search('q', settings({ strategy }), signal);
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['a']);
    expect(outcome.explanation.notes.join()).toMatch(/needs a language model/);
  });

  it('hyde searches by each hypothetical answer and returns each chunk once', async () => {
    const { chunks } = legs({ near: ['a', 'b', 'c'] });
    const model = embedder();
    const parts = { chunks, embedder: model, variants: written('one answer', 'another') };
    const outcome = await retriever(parts).search('q', settings({ strategy: 'hyde', limit: 2 }), signal);
    expect(model.asked).toEqual(['one answer', 'another']);
    expect(outcome.chunks.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('hyde uses the question for full text, not the hypothetical answers', async () => {
    const { chunks, asked } = legs({ near: ['a'], matching: ['b'] });
    const parts = { chunks, variants: written('imagined') };
    await retriever(parts).search('real', settings({ strategy: 'hyde', kind: 'hybrid' }), signal);
    expect(asked.matching.map(({ text }) => text)).toEqual(['real']);
  });

  it('rag_fusion adds the reciprocal ranks of the question and its variants', async () => {
    const { chunks } = legs({ near: ['a', 'b'] });
    const parts = { chunks, variants: written('otherwise') };
    const outcome = await retriever(parts).search('q', settings({ strategy: 'rag_fusion' }), signal);
    expect(outcome.chunks.map(({ score }) => score)).toEqual([2 / 61, 2 / 62]);
  });

  it('uses the question alone when the model fails', async () => {
    const { chunks } = legs({ near: ['a'] });
    const write = () => Promise.reject(new ServiceError('rate_limited', 'Too many.'));
    const outcome = await retriever({ chunks, variants: { write } }).search(
      'q',
      settings({ strategy: 'hyde' }),
      signal,
    );
    expect(outcome.chunks).toHaveLength(1);
    expect(outcome.explanation.notes.join()).toMatch(/Too many/);
  });
});
