import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import { limit, maxCharacters, query } from '../../src/toolbox/fields.ts';
import { joinBlocks, RESERVED_FOR_LINES, renderFitting } from '../../src/toolbox/render-blocks.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { toWebPassage } from '../../src/toolbox/web-passage.ts';
import type { WebResult } from '../../src/web/web-search.ts';

const domain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+$/u, 'expected a host such as example.org');

export const webSearch = defineTool({
  name: 'web_search',
  title: 'Search the web',
  description:
    'Search the web for current or public information that the ingested documents do not contain. Returns numbered results with title, URL, date and snippet; cite a result by its number. A snippet is only an excerpt: read the page with web_scrape before relying on details. The query is sent to an external search engine, so put nothing confidential in it.',
  input: z.object({
    query,
    limit: limit(8, 20),
    freshness: z.enum(['day', 'week', 'month', 'year']).optional().describe('Only pages published within this period'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, 'expected a code such as de or pt-BR')
      .optional()
      .describe('Language of the pages, e.g. de or pt-BR'),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, 'expected two letters')
      .optional()
      .describe('Where to search from, two letters, e.g. at'),
    include_domains: z.array(domain).max(20).optional().describe('Only results of these hosts, e.g. ["example.org"]'),
    exclude_domains: z.array(domain).max(20).optional().describe('No results of these hosts'),
    max_chars: maxCharacters(8000),
  }),
  output: z.object({
    query: z.string(),
    provider: z.string(),
    results: z.array(
      z.object({
        rank: z.number().int(),
        marker: z.string(),
        title: z.string(),
        url: z.string(),
        snippet: z.string(),
        published_date: z.string().optional(),
        source: z.string(),
        score: z.number().optional(),
        trust: z.literal('untrusted_web'),
      }),
    ),
    related_searches: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  needs: ['web_search'],
  deadline: 30_000,

  async execute(input, { webSearch: engine, cite, maxCharacters, signal }) {
    if (engine === undefined) {
      throw new ServiceError(
        'not_configured',
        'No web search is configured. Set SEARXNG_URL, BRAVE_API_KEY, SERPER_API_KEY, TAVILY_API_KEY or EXA_API_KEY.',
      );
    }
    const outcome = await engine.search(
      {
        text: input.query,
        limit: input.limit,
        includeDomains: input.include_domains ?? [],
        excludeDomains: input.exclude_domains ?? [],
        ...(input.freshness !== undefined && { freshness: input.freshness }),
        ...(input.language !== undefined && { language: input.language }),
        ...(input.country !== undefined && { country: input.country }),
      },
      signal,
    );
    const shown = renderFitting<WebResult>(outcome.results, {
      maxCharacters: Math.min(input.max_chars, maxCharacters) - RESERVED_FOR_LINES,
      block: (result) => ({ label: labelOf(result), text: result.snippet, rest: () => '(cut)' }),
      cite: (result) => cite({ kind: 'web', page: toWebPassage(result) }),
    });
    const warnings = [...outcome.notes];
    return {
      text: [
        shown.length === 0 ? NOTHING_FOUND : joinBlocks(shown),
        ...closing(shown.length, outcome.results.length),
      ].join('\n\n'),
      structured: {
        query: input.query,
        provider: outcome.engine,
        results: shown.map(({ item, number, text }) => ({
          rank: item.position,
          marker: `[${number}]`,
          title: item.title,
          url: item.url,
          snippet: text,
          ...(item.date === null ? {} : { published_date: item.date }),
          source: new URL(item.url).host,
          ...(item.score === undefined ? {} : { score: item.score }),
          trust: 'untrusted_web' as const,
        })),
        related_searches: [...outcome.related],
        warnings,
      },
      sources: shown.map(({ item }) => ({ kind: 'web' as const, page: toWebPassage(item) })),
      isUntrusted: true,
      listedAddresses: outcome.results.map(({ url }) => url),
    };
  },
});

const NOTHING_FOUND = 'The search engine found nothing. Try other words, or fewer conditions.';

const closing = (shown: number, found: number): string[] => {
  if (found === 0) return [];
  const left = shown < found ? ` ${found - shown} more did not fit: raise max_chars.` : '';
  return [`End of results (${shown}).${left} To read a page: web_scrape with urls=["…"].`];
};

const labelOf = ({ title, url, date }: WebResult): string =>
  [shortLine(title), ...(date === null ? [] : [shortLine(date, 40)]), url].join(' · ');
