import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordingRetriever } from '../support/retrieval-fixtures.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

const retriever = recordingRetriever();
let http: RunningHttp;
beforeAll(async () => {
  http = await startHttp({ retriever });
});
afterAll(() => http.close());

const search = async (body: object) => {
  const response = await http.post('/v3/retrieval/search', body);
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
  return (await response.json()) as any;
};

it('repeats only the beginning of a long query in its hits', async () => {
  const { results } = await search({ query: `capital ${'of France '.repeat(2_000)}` });
  const { metadata } = results.chunk_search_results[0];
  expect(metadata.associated_query).toMatch(/^capital of France/);
  expect(metadata.associated_query).toHaveLength(1_000);
});

it('returns hits with all their fields and each kind of result', async () => {
  const { results } = await search({ query: 'capital' });
  expect(Object.keys(results)).toEqual([
    'chunk_search_results',
    'graph_search_results',
    'web_page_search_results',
    'web_search_results',
    'document_search_results',
    'generic_tool_result',
  ]);
  expect(results.chunk_search_results[0]).toMatchObject({
    score: 0.75,
    text: 'Paris is the capital of France. It lies on the Seine.',
    metadata: { associated_query: 'capital', semantic_rank: 2, full_text_rank: 1, title: 'Capitals' },
  });
});

it('leaves out scores and metadata when told to', async () => {
  const { results } = await search({
    query: 'q',
    search_settings: { include_scores: false, include_metadata: false },
  });
  expect(results.chunk_search_results[0]).toMatchObject({ score: null, metadata: {} });
});

it('explains the rank of each hit on request', async () => {
  for (const body of [
    { query: 'q', explain: true },
    { query: 'q', search_settings: { explain: true } },
  ]) {
    const { results } = await search(body);
    expect(results.chunk_search_results[0].explain).toEqual({
      semantic: { rank: 2, score: 0.5 },
      full_text: { rank: 1, score: 0.9 },
    });
    expect(results.explanation).toMatchObject({
      kind: 'hybrid',
      terms: ['capit', 'franc'],
      hybrid_settings: { full_text_weight: 1, semantic_weight: 5, full_text_limit: 200, rrf_k: 50 },
      milliseconds: { embed: 1, semantic: 2, full_text: 3 },
    });
    expect(retriever.asked.at(-1)?.settings.explain).toBe(true);
  }
});

it('tells what the caller may read apart from the filter of the request', async () => {
  await search({ query: 'q', search_settings: { filters: { document_type: { $eq: 'md' } } } });
  const { filter, readable } = retriever.asked.at(-1)?.settings ?? {};
  expect(filter).toMatchObject({ field: 'document_type', value: 'md' });
  expect(readable).toEqual({ kind: 'all' });
});
