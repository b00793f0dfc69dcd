import { z } from 'zod';
import { baseLanguage, type SearchEngine, withSites } from './search-engine.ts';

const reply = z.object({
  organic: z.array(
    z.object({
      title: z.string(),
      link: z.string(),
      snippet: z.string().nullish(),
      date: z.string().nullish(),
      sitelinks: z.array(z.object({ title: z.string(), link: z.string() })).nullish(),
    }),
  ),
  relatedSearches: z.array(z.object({ query: z.string() })).nullish(),
  peopleAlsoAsk: z
    .array(
      z.object({
        question: z.string(),
        snippet: z.string().nullish(),
        title: z.string().nullish(),
        link: z.string().nullish(),
      }),
    )
    .nullish(),
});

/** Google's results through serper.dev. */
export const serper = (apiKey: string, baseUrl = 'https://google.serper.dev'): SearchEngine => ({
  name: 'serper',
  request: (query) => ({
    url: `${baseUrl}/search`,
    headers: { 'x-api-key': apiKey },
    body: {
      q: withSites(query),
      num: query.limit,
      ...(query.country && { gl: query.country.toLowerCase() }),
      ...(query.language && { hl: baseLanguage(query.language) }),
      ...(query.freshness && { tbs: `qdr:${query.freshness.charAt(0)}` }),
    },
  }),
  read(given) {
    const { organic, relatedSearches, peopleAlsoAsk } = reply.parse(given);
    return {
      results: organic.map(({ title, link, snippet, date, sitelinks }) => ({
        title,
        url: link,
        snippet: snippet ?? '',
        date: date ?? undefined,
        sitelinks: (sitelinks ?? []).map((below) => ({ title: below.title, url: below.link })),
      })),
      related: (relatedSearches ?? []).map(({ query }) => query),
      questions: (peopleAlsoAsk ?? []).map(({ question, snippet, title, link }) => ({
        question,
        snippet: snippet ?? '',
        title: title ?? '',
        url: link ?? '',
      })),
    };
  },
});
