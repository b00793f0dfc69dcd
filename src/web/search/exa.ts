import { z } from 'zod';
import type { Freshness } from '../web-search.ts';
import type { SearchEngine } from './search-engine.ts';

const reply = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      publishedDate: z.string().nullish(),
      score: z.number().nullish(),
      highlights: z.array(z.string()).nullish(),
      summary: z.string().nullish(),
      text: z.string().nullish(),
    }),
  ),
});

const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };
const DAY_MS = 86_400_000;
const SNIPPET_LENGTH = 600;

/** Exa, https://api.exa.ai. Tests replace `now`. */
export const exa = (apiKey: string, baseUrl = 'https://api.exa.ai', now: () => number = Date.now): SearchEngine => ({
  name: 'exa',
  request: (query) => ({
    url: `${baseUrl}/search`,
    headers: { 'x-api-key': apiKey },
    body: {
      query: query.text,
      numResults: query.limit,
      type: 'auto',
      contents: { highlights: { maxCharacters: SNIPPET_LENGTH } },
      ...(query.freshness && {
        startPublishedDate: new Date(now() - DAYS[query.freshness] * DAY_MS).toISOString(),
      }),
      ...(query.includeDomains.length > 0 && { includeDomains: query.includeDomains }),
      ...(query.excludeDomains.length > 0 && { excludeDomains: query.excludeDomains }),
      ...(query.country && { userLocation: query.country.toUpperCase() }),
    },
  }),
  read: (given) => ({
    results: reply.parse(given).results.map(({ title, url, publishedDate, score, highlights, summary, text }) => ({
      title: title ?? '',
      url,
      snippet: highlights?.join(' … ') || summary || (text ?? '').slice(0, SNIPPET_LENGTH),
      date: publishedDate ?? undefined,
      score: score ?? undefined,
    })),
  }),
});
