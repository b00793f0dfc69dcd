import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSourceList } from '../../src/citations/source-list.ts';
import { allOf } from '../../src/documents/filter.ts';
import type { GraphHit } from '../../src/documents/graph-hit.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { addSourceSentences } from '../../src/graph/add-source-sentences.ts';
import { withGraph } from '../../src/graph/search-graph.ts';
import type { Model } from '../../src/models/model.ts';
import { createAnswerer } from '../../src/rag/answer-question.ts';
import { collectAnswer } from '../../src/rag/collect-answer.ts';
import { createQueryEmbedder } from '../../src/retrieval/embed-query.ts';
import {
  defaultGraphSettings,
  defaultSearchSettings,
  type SearchSettings,
} from '../../src/retrieval/search-settings.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import type { GraphFinding, GraphQuery } from '../../src/store/graph-search.ts';
import { callTool } from '../../src/toolbox/call-tool.ts';
import { novelHits } from '../../src/toolbox/novel-hits.ts';
import { graphBlock, limitInformative } from '../../src/toolbox/render-graph.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { searchFileKnowledge } from '../../tools/rag/search-file-knowledge.ts';
import { finding, foundChunk } from '../support/found.ts';
import { onlyModel, says, scriptedModel } from '../support/scripted-model.ts';

const { signal } = new AbortController();
const paris = foundChunk('Paris is the capital of France.', { start: 100, page: 3 });
/** A chunk that the search does not return. */
const river = foundChunk('It is long. A river\nthrough Paris. It is busy.', { start: 500, page: 7 });
const chunksById = async (ids: readonly string[]) => [paris, river].filter(({ id }) => ids.includes(id));
const hitOf = (id: string, found: GraphHit['found'], change: Partial<GraphHit> = {}): GraphHit => ({
  id,
  score: 0.5,
  chunkIds: [paris.id, river.id],
  documents: [{ id: paris.documentId, title: 'Capitals' }],
  found,
  ...change,
});
const seine = hitOf('e1', { kind: 'entity', name: 'Seine', category: 'river', description: 'A river through Paris.' });
const repeating = hitOf('e4', {
  kind: 'entity',
  name: 'Paris',
  category: 'city',
  description: 'Paris is the  capital of France.',
});
const bare = hitOf('e2', { kind: 'entity', name: 'Bare', category: null, description: '' });
const flows = hitOf('r1', {
  kind: 'relationship',
  subject: 'Seine',
  subjectId: 'e1',
  predicate: 'flows through',
  object: 'Paris',
  objectId: 'e3',
  description: '',
  weight: 2,
});
const community = hitOf('c1', {
  kind: 'community',
  name: 'Rivers',
  summary: 'Rivers of France.',
  findings: ['The Seine flows.'],
  collectionId: 'k',
});
const everything: GraphFinding = {
  entities: [repeating, seine, bare],
  relationships: [flows],
  communities: [community],
};

const lexical: EmbeddingModel = {
  name: 'test/words',
  isLexical: true,
  space: async () => ({ embedder: 'test/words', version: '1', dimensions: 2 }),
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
};

/** Counts its calls. */
function countingEmbedder() {
  const embedder = {
    ...lexical,
    isLexical: false,
    calls: 0,
    async embed(texts: readonly string[]) {
      embedder.calls++;
      return texts.map(() => Float32Array.of(0, 1));
    },
  };
  return embedder;
}

function open(
  search: (query: GraphQuery) => Promise<GraphFinding>,
  embedder = lexical,
  embedQuery = createQueryEmbedder(embedder),
) {
  const asked: GraphQuery[] = [];
  const graph = {
    search(query: GraphQuery) {
      asked.push(query);
      return search(query);
    },
  };
  const reports: string[] = [];
  const report = (message: string) => void reports.push(message);
  /** The chunks read, by message. */
  const reads: (readonly string[])[] = [];
  const chunks = {
    chunksById(ids: readonly string[]) {
      reads.push(ids);
      return chunksById(ids);
    },
  };
  const parts = { retriever: finding(paris), graph, embedder, embedQuery, chunks, report };
  return { asked, reports, reads, retriever: withGraph(parts) };
}

const settings = (change: Partial<SearchSettings> = {}): SearchSettings => ({ ...defaultSearchSettings, ...change });

describe('a search with the graph', () => {
  it('adds graph results and leaves the chunks unchanged', async () => {
    const { retriever, asked } = open(async () => everything);
    const outcome = await retriever.search('Seine', settings({ limit: 7 }), signal);
    expect(outcome.chunks.map(({ id }) => id)).toEqual([paris.id]);
    expect(outcome.graph?.map(({ id }) => id)).toEqual(['e4', 'e1', 'e2', 'r1', 'c1']);
    expect(outcome.explanation.milliseconds.graph).toBeGreaterThanOrEqual(0);
    expect(asked).toMatchObject([
      { text: 'Seine', vector: null, limits: { entities: 7, relationships: 7, communities: 7 } },
    ]);
  });

  it('begins with the passages, whose search takes longer', async () => {
    const asked: string[] = [];
    const embedQuery = createQueryEmbedder(countingEmbedder());
    const passages = {
      async search(...given: Parameters<ReturnType<typeof finding>['search']>) {
        await embedQuery(given[0], signal);
        asked.push('passages');
        return finding(paris).search(...given);
      },
    };
    const graph = {
      async search() {
        asked.push('graph');
        return everything;
      },
    };
    const parts = { graph, embedder: lexical, embedQuery, chunks: { chunksById }, report: () => {} };
    await withGraph({ ...parts, retriever: passages }).search('Seine', settings(), signal);
    expect(asked).toEqual(['passages', 'graph']);
  });

  it('reads the chunks of all results in one message, each chunk once', async () => {
    const { retriever, reads } = open(async () => everything);
    const outcome = await retriever.search('Seine', settings(), signal);
    expect(outcome.graph?.filter(({ sentence }) => sentence !== undefined)).toHaveLength(5);
    expect(reads).toEqual([[paris.id, river.id]]);
  });

  it('applies the filter, which restricts visibility', async () => {
    const { retriever, asked } = open(async () => everything);
    const filter = allOf({ kind: 'compare', field: 'owner_id', op: 'eq', value: 'ann' });
    await retriever.search('Seine', settings({ filter }), signal);
    expect(asked[0]?.filter).toBe(filter);
  });

  it('respects its limits and kinds, and is skipped when disabled or for a query as of an earlier time', async () => {
    const { retriever, asked } = open(async () => everything);
    const graph = { ...defaultGraphSettings, limits: { entities: 2, communities: 0 } };
    await retriever.search('Seine', settings({ graph }), signal);
    await retriever.search('Seine', settings({ graph: { ...defaultGraphSettings, kind: 'global' } }), signal);
    const off = await retriever.search('Seine', settings({ graph: { ...graph, enabled: false } }), signal);
    await retriever.search('Seine', settings({ asOf: '2026-01-01T00:00:00.000Z' }), signal);
    expect(off.graph).toBeUndefined();
    expect(asked.map(({ limits }) => limits)).toEqual([
      { entities: 2, relationships: 10, communities: 0 },
      { entities: 0, relationships: 0, communities: 10 },
    ]);
  });

  it('omits a graph that cannot be searched, and says so', async () => {
    const { retriever } = open(async () => {
      throw new ServiceError('store_failed', 'No.');
    });
    const outcome = await retriever.search('Seine', settings(), signal);
    expect(outcome).toMatchObject({ graph: [], chunks: [{ id: paris.id }] });
    expect(outcome.explanation.notes).toContainEqual(expect.stringContaining('graph search failed'));
  });

  it('reports why the graph cannot be searched, once for each reason and again after it recovered', async () => {
    let reason: string | undefined = 'The disk is full.';
    const { retriever, reports } = open(async () => {
      if (reason === undefined) return everything;
      throw new ServiceError('store_failed', reason);
    });
    for (const next of ['The disk is full.', 'The disk is full.', 'It is locked.', undefined, 'It is locked.']) {
      reason = next;
      await retriever.search('Seine', settings(), signal);
    }
    const locked = 'The graph search failed: It is locked.';
    expect(reports).toEqual(['The graph search failed: The disk is full.', locked, locked]);
  });

  it('does not report a search that was cancelled', async () => {
    const stop = new AbortController();
    const { retriever, reports } = open(async () => {
      await nextTurn();
      stop.abort();
      throw new ServiceError('cancelled', 'The search was cancelled.');
    });
    const outcome = await retriever.search('Seine', settings(), stop.signal);
    expect(outcome.graph).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('embeds a query once for both searches, and not again when it is repeated', async () => {
    const meaning = countingEmbedder();
    const embedQuery = createQueryEmbedder(meaning);
    const { retriever, asked } = open(async () => everything, meaning, embedQuery);
    await Promise.all([embedQuery('Seine', signal), retriever.search('Seine', settings(), signal)]);
    await retriever.search('Seine', settings(), signal);
    expect(asked.map(({ vector }) => vector)).toEqual([Float32Array.of(0, 1), Float32Array.of(0, 1)]);
    expect(meaning.calls).toBe(1);
  });

  it('does not embed the query of a full-text search, nor for communities alone', async () => {
    const meaning = countingEmbedder();
    const { retriever, asked } = open(async () => everything, meaning);
    const global = { ...defaultGraphSettings, kind: 'global' as const };
    await retriever.search('Seine', settings({ kind: 'full_text' }), signal);
    await retriever.search('Seine', settings({ graph: global }), signal);
    expect(asked.map(({ vector }) => vector)).toEqual([null, null]);
    expect(meaning.calls).toBe(0);
  });

  it('says what to do when a global search finds no community, and nothing otherwise', async () => {
    const notesOf = async (change: Partial<typeof defaultGraphSettings>, found: Partial<GraphFinding>) => {
      const { retriever } = open(async () => ({ entities: [], relationships: [], communities: [], ...found }));
      const graph = { ...defaultGraphSettings, ...change };
      return (await retriever.search('Seine', settings({ graph }), signal)).explanation.notes;
    };
    expect(await notesOf({ kind: 'global' }, {})).toEqual([
      expect.stringMatching(/^The global graph search found no community\..*build those.*local graph search/),
    ]);
    expect(await notesOf({ kind: 'global' }, { communities: [community] })).toEqual([]);
    expect(await notesOf({ kind: 'local' }, {})).toEqual([]);
    expect(await notesOf({ kind: 'global', enabled: false }, {})).toEqual([]);
  });
});

describe('graph results', () => {
  it('are shown to a model, a few of each kind, if they contain more than a name', () => {
    expect(limitInformative([bare, seine, flows, community]).map(({ id }) => id)).toEqual(['e1', 'c1']);
    expect(graphBlock(seine)).toMatchObject({
      label: 'Knowledge graph · entity · from Capitals',
      text: 'Seine (river): A river through Paris.',
    });
  });

  it('name the slide of their sentence in a presentation', async () => {
    const slide = { ...river, metadata: { document_type: 'pptx' } };
    const [first] = await addSourceSentences([{ ...seine, chunkIds: [slide.id] }], async () => [slide]);
    expect(first && graphBlock(first).label).toContain(' · slide 7 · ');
  });

  it('are numbered sources of an answer', async () => {
    const model: Model & { readonly requests: readonly { readonly messages: readonly { text?: string }[] }[] } =
      scriptedModel(says('The Seine runs through Paris [2].')) as never;
    const { retriever } = open(async () => everything);
    const answerer = createAnswerer({ retriever, models: onlyModel(model), analyser: { analyse, analyseQuery } });
    const request = { query: 'Seine?', search: settings(), generation: {}, includeTitle: false };
    const { citations } = await collectAnswer(answerer.answer(request, signal));
    // The line of the source sentence that says it, at its position.
    const quote = { start: 520, end: 534, text: 'through Paris.', page: 7 };
    expect(citations).toMatchObject([
      { id: 'cit.2', source: { kind: 'graph', hit: { id: 'e1', sentence: { chunkId: river.id } } }, quotes: [quote] },
    ]);
    const prompt = JSON.stringify(model.requests[0]?.messages);
    expect(prompt).toContain('[2] Knowledge graph · entity · from Capitals');
  });

  it('are no sources when they repeat a shown chunk or refer to a removed sentence', async () => {
    const gone = hitOf(
      'e5',
      { kind: 'entity', name: 'Gone', category: null, description: 'It went.' },
      { chunkIds: ['x'] },
    );
    const quoting = hitOf('c2', {
      kind: 'community',
      name: 'Cities',
      summary: 'Paris is the capital of France. Lyon is no capital. Also: Rouen, Nice.',
      findings: ['Paris is a capital: Paris is the capital of France.', 'Lyon on Rhône: Lyon is no capital.'],
      collectionId: 'k',
    });
    const { retriever } = open(async () => ({
      entities: [repeating, gone, seine],
      relationships: [],
      communities: [quoting],
    }));
    const { graph = [], chunks } = await retriever.search('Seine', settings(), signal);
    const adding = novelHits(
      graph,
      chunks.map(({ text }) => text),
    );
    expect(adding.map(({ id }) => id)).toEqual(['e1', 'c2']);
    expect(adding[1]?.found).toMatchObject({ summary: 'Lyon is no capital.', findings: [] });
    // Already stated by the preceding community.
    const again = hitOf('e6', { kind: 'entity', name: 'Lyon', category: null, description: 'Lyon is no capital.' });
    expect(novelHits([...adding, { ...again, documents: [] }], []).map(({ id }) => id)).toEqual(['e1', 'c2']);
  });

  it('are returned by search_file_knowledge, and can be cited', async () => {
    const { retriever, asked } = open(async () => everything);
    const sources = createSourceList();
    const context = {
      retriever,
      settings: settings(),
      cite: (source: Parameters<typeof sources.add>[0]) => sources.add(source),
      maxCharacters: 8_000,
      signal,
    };
    const call = { id: 'call', name: 'search_file_knowledge', arguments: { query: 'Seine' } };
    const outcome = await callTool(call, [searchFileKnowledge], context as unknown as ToolContext);
    if (outcome.isError) throw new Error(outcome.text);
    const { output } = outcome;
    expect(output.text).toContain('[2] Knowledge graph · entity · from Capitals');
    expect(output.structured).toMatchObject({
      results: [{ marker: '[1]' }],
      graph: [
        {
          marker: '[2]',
          type: 'entity',
          text: 'Seine (river): A river through Paris.',
          document_id: river.documentId,
          chunk_id: river.id,
          page: 7,
          start_char: 512,
        },
        { marker: '[3]', type: 'community' },
      ],
    });
    expect(output.sources?.map(({ kind }) => kind)).toEqual(['chunk', 'graph', 'graph']);
    // A few facts help the model, many hide the chunks.
    expect(asked[0]?.limits).toEqual({ entities: 3, relationships: 4, communities: 2 });
  });
});
