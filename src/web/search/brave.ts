import { z } from 'zod';
import { baseLanguage, type SearchEngine, withParameters, withSites } from './search-engine.ts';

const result = z.object({
  title: z.string(),
  url: z.string(),
  description: z.string().nullish(),
  page_age: z.string().nullish(),
  age: z.string().nullish(),
  extra_snippets: z.array(z.string()).nullish(),
});

const reply = z.object({
  // Absent if nothing was found.
  web: z.object({ results: z.array(result) }).nullish(),
  faq: z
    .object({
      results: z.array(z.object({ question: z.string(), answer: z.string(), title: z.string(), url: z.string() })),
    })
    .nullish(),
});

const freshness = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;
const MAX_RESULTS = 20;

/** Brave Search, https://api.search.brave.com. */
export const brave = (apiKey: string, baseUrl = 'https://api.search.brave.com'): SearchEngine => ({
  name: 'brave',
  request: (query) => ({
    url: withParameters(`${baseUrl}/res/v1/web/search`, {
      q: withSites(query),
      count: Math.min(query.limit, MAX_RESULTS),
      country: query.country?.toUpperCase(),
      search_lang: baseLanguage(query.language),
      freshness: query.freshness && freshness[query.freshness],
      text_decorations: 'false',
    }),
    headers: { 'x-subscription-token': apiKey },
  }),
  read(given) {
    const { web, faq } = reply.parse(given);
    return {
      results: (web?.results ?? []).map(({ title, url, description, page_age, age, extra_snippets }) => ({
        title,
        url,
        snippet: [description ?? '', ...(extra_snippets ?? [])].join(' '),
        date: page_age ?? age ?? undefined,
      })),
      questions: (faq?.results ?? []).map(({ question, answer, title, url }) => ({
        question,
        snippet: answer,
        title,
        url,
      })),
    };
  },
});
