import { z } from 'zod';
import type { SearchEngine } from './search-engine.ts';

const reply = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      score: z.number().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
  follow_up_questions: z.array(z.string()).nullish(),
});

const MAX_RESULTS = 20;

/** Tavily, https://api.tavily.com. Expects English country names. */
export const tavily = (apiKey: string, baseUrl = 'https://api.tavily.com'): SearchEngine => ({
  name: 'tavily',
  request: (query) => ({
    url: `${baseUrl}/search`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      query: query.text,
      max_results: Math.min(query.limit, MAX_RESULTS),
      ...(query.freshness && { time_range: query.freshness }),
      ...(query.includeDomains.length > 0 && { include_domains: query.includeDomains }),
      ...(query.excludeDomains.length > 0 && { exclude_domains: query.excludeDomains }),
      ...(query.country && { country: countryName(query.country) }),
    },
  }),
  read(given) {
    const { results, follow_up_questions: related } = reply.parse(given);
    return {
      results: results.map(({ title, url, content, score, published_date }) => ({
        title: title ?? '',
        url,
        snippet: content ?? '',
        date: published_date ?? undefined,
        score: score ?? undefined,
      })),
      related: related ?? [],
    };
  },
  advice: {
    432: 'The plan of this Tavily key is used up.',
    433: 'The pay-as-you-go limit of this Tavily key is reached.',
  },
});

const countryName = (code: string): string | undefined =>
  new Intl.DisplayNames('en', { type: 'region' }).of(code.toUpperCase())?.toLowerCase();
