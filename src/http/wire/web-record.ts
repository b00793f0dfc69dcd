import { z } from 'zod';
import type { WebPassage } from '../../citations/citation.ts';
import type { WebSearchOutcome } from '../../web/web-search.ts';

const sitelinks = z.array(z.object({ title: z.string(), link: z.string() }));

export const webMembers = {
  id: z.string(),
  title: z.string(),
  link: z.string(),
  snippet: z.string(),
  position: z.int().describe('Rank in the results, from 1; 0 for a page that was read.'),
  type: z.enum(['organic', 'firecrawl']),
  date: z.string().nullable(),
  sitelinks,
};

export const webHit = z.object(webMembers).meta({ id: 'WebHit' }) satisfies z.ZodType<ReturnType<typeof toWebRecord>>;

export const webSearch = z
  .object({
    organic_results: z.array(webHit),
    related_searches: z.array(z.object({ query: z.string(), type: z.literal('related'), id: z.string() })),
    people_also_ask: z.array(
      z.object({
        question: z.string(),
        snippet: z.string(),
        link: z.string(),
        title: z.string(),
        id: z.string(),
        type: z.literal('peopleAlsoAsk'),
      }),
    ),
    engine: z.string(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'WebSearch' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toWebSearchResult>]: unknown }>;

const MAX_SNIPPET_LENGTH = 100_000;

/** A web search result or a fetched page, both in the format of docs/contract.md 4.5. */
export function toWebRecord(page: WebPassage) {
  return {
    id: page.id,
    title: page.title,
    link: page.url,
    snippet: page.text.slice(0, MAX_SNIPPET_LENGTH),
    position: page.position,
    type: page.kind === 'result' ? 'organic' : 'firecrawl',
    date: page.date,
    sitelinks: page.sitelinks.map(({ title, url }) => ({ title, link: url })),
  };
}

/** A web search, one object per query (docs/contract.md 4.5); `engine` and `notes` are additions. */
export function toWebSearchResult(outcome: WebSearchOutcome) {
  return {
    organic_results: outcome.results.map((result) => ({
      id: result.id,
      title: result.title,
      link: result.url,
      snippet: result.snippet,
      position: result.position,
      type: 'organic',
      date: result.date,
      sitelinks: result.sitelinks.map(({ title, url }) => ({ title, link: url })),
    })),
    related_searches: outcome.related.map((query, index) => ({ query, type: 'related', id: `related_${index + 1}` })),
    people_also_ask: outcome.questions.map(({ question, snippet, url, title }, index) => ({
      question,
      snippet,
      link: url,
      title,
      id: `question_${index + 1}`,
      type: 'peopleAlsoAsk',
    })),
    engine: outcome.engine,
    notes: outcome.notes,
  };
}
