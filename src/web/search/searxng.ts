import { z } from 'zod';
import { withoutFinalSlashes } from '../../shared/text.ts';
import { type SearchEngine, withParameters, withSites } from './search-engine.ts';

const reply = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
      score: z.number().nullish(),
    }),
  ),
  suggestions: z.array(z.string()).nullish(),
  unresponsive_engines: z.array(z.array(z.string())).nullish(),
});

/** A SearXNG instance, https://docs.searxng.org/dev/search_api.html; needs no key, but its JSON format must be enabled. */
export const searxng = (baseUrl: string): SearchEngine => ({
  name: 'searxng',
  request: (query) => ({
    url: withParameters(`${withoutFinalSlashes(baseUrl)}/search`, {
      q: withSites(query),
      format: 'json',
      language: query.language,
      time_range: query.freshness,
    }),
    headers: {},
  }),
  read(given) {
    const { results, suggestions, unresponsive_engines: silent } = reply.parse(given);
    const names = (silent ?? []).flatMap(([name]) => (name === undefined ? [] : [name]));
    return {
      results: results.map(({ title, url, content, publishedDate, score }) => ({
        title: title ?? '',
        url,
        snippet: content ?? '',
        date: publishedDate ?? undefined,
        score: score ?? undefined,
      })),
      related: suggestions ?? [],
      notes: names.length === 0 ? [] : [`SearXNG had no answer of ${names.join(', ')}.`],
    };
  },
  advice: { 403: 'SearXNG refuses JSON: add "json" to search.formats in its settings.yml.' },
});
