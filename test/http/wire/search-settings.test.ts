import { describe, expect, it } from 'vitest';
import { checkShape } from '../../../src/http/check-shape.ts';
import { searchRequest } from '../../../src/http/wire/search-request.ts';
import type { SearchSettings } from '../../../src/retrieval/search-settings.ts';

const read = (members: object) => checkShape(searchRequest, { query: 'q', ...members }, 'body');
const settings = (search_settings: object, more: object = {}): SearchSettings =>
  read({ search_settings, ...more }).settings;

describe('search settings', () => {
  it('are all optional', () => {
    expect(read({}).settings).toEqual({
      filter: { kind: 'all' },
      limit: 10,
      offset: 0,
      measure: 'cosine_distance',
      hybrid: {},
      strategy: 'vanilla',
      subQueries: 5,
      explain: false,
    });
  });

  it('may be null, as some clients send unset fields', () => {
    expect(read({ search_settings: null, search_mode: null, graph_search_settings: null }).settings.limit).toBe(10);
    expect(
      settings({ limit: null, filters: null, hybrid_settings: null, use_hybrid_search: null }).kind,
    ).toBeUndefined();
  });

  it.each<[string, object, object, Partial<SearchSettings>]>([
    ['no switch leaves the kind open', {}, {}, {}],
    ['hybrid', { use_hybrid_search: true }, {}, { kind: 'hybrid' }],
    [
      'semantic and full text are hybrid',
      { use_semantic_search: true, use_fulltext_search: true },
      {},
      { kind: 'hybrid' },
    ],
    ['semantic is on unless switched off', { use_fulltext_search: true }, {}, { kind: 'hybrid' }],
    ['full text alone', { use_semantic_search: false, use_fulltext_search: true }, {}, { kind: 'full_text' }],
    ['semantic when hybrid is refused', { use_hybrid_search: false }, {}, { kind: 'semantic' }],
    ['mode basic', {}, { search_mode: 'basic' }, { kind: 'semantic' }],
    ['mode advanced', {}, { search_mode: 'advanced' }, { kind: 'hybrid', strategy: 'hyde' }],
    [
      'members override the mode',
      { use_hybrid_search: false, search_strategy: 'vanilla' },
      { search_mode: 'advanced' },
      { kind: 'semantic', strategy: 'vanilla' },
    ],
    ['D9: index_measure at the top', { index_measure: 'l2_distance' }, {}, { measure: 'l2_distance' }],
    [
      'D9: index_measure in chunk_settings',
      { chunk_settings: { index_measure: 'l1_distance', probes: 10, ef_search: 40 } },
      {},
      { measure: 'l1_distance' },
    ],
    [
      'D13: the weights as r2r-js spells them',
      { hybrid_settings: { fulltext_weight: 2, fulltext_limit: 50 } },
      {},
      { hybrid: { fullTextWeight: 2, fullTextLimit: 50 } },
    ],
    [
      'the weights as specified',
      { hybrid_settings: { full_text_weight: 1, semantic_weight: 5, full_text_limit: 200, rrf_k: 50 } },
      {},
      { hybrid: { fullTextWeight: 1, semanticWeight: 5, fullTextLimit: 200, rrfK: 50 } },
    ],
    [
      'camel case, as documents.search of r2r-js sends',
      { useHybridSearch: true, hybridSettings: { rrfK: 7 } },
      {},
      { kind: 'hybrid', hybrid: { rrfK: 7 } },
    ],
    ['an unknown strategy is plain', { search_strategy: 'telepathy' }, {}, { strategy: 'vanilla' }],
    [
      'query_fusion is rag_fusion',
      { search_strategy: 'query_fusion', num_sub_queries: 3 },
      {},
      { strategy: 'rag_fusion', subQueries: 3 },
    ],
    [
      'both filters hold',
      { filters: { a: 1 }, search_filters: { b: 2 } },
      {},
      {
        filter: {
          kind: 'and',
          filters: [
            { kind: 'compare', field: 'a', op: 'eq', value: 1 },
            { kind: 'compare', field: 'b', op: 'eq', value: 2 },
          ],
        },
      },
    ],
    [
      'filter names are not respelt',
      { filters: { numericId: 1 } },
      {},
      { filter: { kind: 'compare', field: 'numericId', op: 'eq', value: 1 } },
    ],
    [
      'chunk search switched off leaves the graph',
      { chunk_settings: { enabled: false } },
      {},
      { filter: { kind: 'all' }, graph: { enabled: true, kind: 'local', limits: {}, withChunks: false } },
    ],
    ['explain', { explain: true }, {}, { explain: true }],
    [
      'D8: graph settings at both places',
      { graph_settings: { enabled: true } },
      { graph_search_settings: { use_graph_search: true, kg_search_type: 'local' } },
      { graph: { enabled: true, kind: 'local', limits: {}, withChunks: true } },
    ],
    [
      'D8: the top-level place wins',
      { graph_settings: { enabled: true, kgSearchType: 'local', limits: { entities: 3, communities: 0 } } },
      { graph_search_settings: { use_graph_search: false, kg_search_type: 'global', limits: { entities: 5 } } },
      { graph: { enabled: false, kind: 'global', limits: { entities: 5, communities: 0 }, withChunks: true } },
    ],
  ])('%s', (_, wire, more, expected) => {
    expect(settings(wire, more)).toMatchObject(expected);
  });

  it('are refused when every kind of search is off', () => {
    expect(() => settings({ use_semantic_search: false })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(/^All kinds of search are disabled/),
      }),
    );
  });

  it.each<[string, object, readonly (string | number)[], string]>([
    ['a limit of 0', { limit: 0 }, ['body', 'search_settings', 'limit'], 'greater_than_equal'],
    ['a limit of 1001', { limit: 1001 }, ['body', 'search_settings', 'limit'], 'less_than_equal'],
    ['a limit in words', { limit: 'ten' }, ['body', 'search_settings', 'limit'], 'float_type'],
    ['a fraction', { limit: 1.5 }, ['body', 'search_settings', 'limit'], 'int_type'],
    ['a negative offset', { offset: -1 }, ['body', 'search_settings', 'offset'], 'greater_than_equal'],
    ['an unknown measure', { index_measure: 'miles' }, ['body', 'search_settings', 'index_measure'], 'enum'],
    ['filters that are a list', { filters: [] }, ['body', 'search_settings', 'filters'], 'dict_type'],
    ['a switch in words', { use_hybrid_search: 'yes' }, ['body', 'search_settings', 'use_hybrid_search'], 'bool_type'],
  ])('are invalid with %s', (_, wire, loc, type) => {
    expect(() => settings(wire)).toThrow(
      expect.objectContaining({ code: 'invalid_field', issues: [expect.objectContaining({ loc, type })] }),
    );
  });

  it('enable result shaping and reranking only on request, in either spelling', () => {
    const plain = settings({});
    expect(plain).not.toHaveProperty('shaping');
    expect(plain).not.toHaveProperty('rerank');
    const members = { diversity: 0.3, maxPerDocument: 2, foldDuplicates: true, mergeNeighbors: true, rerankDepth: 30 };
    expect(settings(members)).toMatchObject({
      shaping: { diversity: 0.3, maxPerDocument: 2, foldDuplicates: true, mergeNeighbours: true },
      rerank: { enabled: true, depth: 30 },
    });
    expect(settings({ rerank: false }).rerank).toEqual({ enabled: false });
  });
});
