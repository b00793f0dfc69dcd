import { expect, it } from 'vitest';
import { toSearchResults, toStreamedSearchResults } from '../../../src/http/wire/search-results.ts';
import { toWebRecord } from '../../../src/http/wire/web-record.ts';
import { defaultSearchSettings } from '../../../src/retrieval/search-settings.ts';
import type { WebSearchOutcome } from '../../../src/web/web-search.ts';
import { finding } from '../../support/found.ts';

const web: WebSearchOutcome = {
  query: 'rivers',
  engine: 'serper',
  results: [
    {
      id: 'r',
      title: 'Rivers',
      url: 'https://a.example/',
      snippet: 'A river rose.',
      position: 1,
      date: null,
      sitelinks: [{ title: 'Maps', url: 'https://a.example/maps' }],
    },
  ],
  related: ['mills'],
  questions: [{ question: 'Why?', snippet: 'Because.', url: 'https://b.example/', title: 'B' }],
  notes: [],
};
const organic = {
  id: 'r',
  title: 'Rivers',
  link: 'https://a.example/',
  snippet: 'A river rose.',
  position: 1,
  type: 'organic',
  date: null,
  sitelinks: [{ title: 'Maps', link: 'https://a.example/maps' }],
};

it('returns a web search as one object per query, and null or an empty list without one', async () => {
  const outcome = await finding().search('rivers', defaultSearchSettings, new AbortController().signal);
  const detail = { metadata: true, score: true, explain: false };
  expect(toSearchResults(outcome, 'rivers', detail, web).web_search_results).toEqual([
    {
      organic_results: [organic],
      related_searches: [{ query: 'mills', type: 'related', id: 'related_1' }],
      people_also_ask: [
        {
          question: 'Why?',
          snippet: 'Because.',
          link: 'https://b.example/',
          title: 'B',
          id: 'question_1',
          type: 'peopleAlsoAsk',
        },
      ],
      engine: 'serper',
      notes: [],
    },
  ]);
  expect(toSearchResults(outcome, 'rivers', detail).web_search_results).toBeNull();
  expect(toStreamedSearchResults(outcome, 'rivers', detail).web_search_results).toEqual([]);
});

it('returns a fetched page in the format of a search result', () => {
  const page = {
    kind: 'page',
    id: 'p',
    url: 'https://a.example/',
    title: 'A',
    start: 0,
    position: 0,
    date: '2026',
    sitelinks: [],
  } as const;
  expect(toWebRecord({ ...page, text: 'x'.repeat(100_001) })).toMatchObject({
    link: 'https://a.example/',
    position: 0,
    type: 'firecrawl',
    snippet: 'x'.repeat(100_000),
  });
});
