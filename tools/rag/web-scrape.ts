import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WebPassage } from '../../src/citations/citation.ts';
import { messageFor, ServiceError } from '../../src/errors.ts';
import { shortLine, wholeCharacterEnd, wholeWordEnd } from '../../src/shared/text.ts';
import { maxCharacters } from '../../src/toolbox/fields.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { canonicalUrl } from '../../src/web/canonical-url.ts';
import type { WebPage } from '../../src/web/web-pages.ts';

// Plain URLs only: the URL checked before the call must be exactly the one fetched.
const ADDRESS = /^https?:\/\/(?:\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._-]+)(?::\d{1,5})?(?:[/?#][^\s\\]*)?$/iu;

const address = z
  .string()
  .trim()
  .max(4000)
  .regex(ADDRESS, 'expected a complete URL beginning with http:// or https://, without a user name');

export const webScrape = defineTool({
  name: 'web_scrape',
  title: 'Read web pages',
  description:
    'Read web pages or files by their URLs: the main text as Markdown with tables, links and code, without navigation and advertising. Understands HTML, plain text, Markdown, JSON, feeds, PDF and Office files. Give a query to get only the passages that answer it; page through a long text with start_index. Use it to read what web_search found or the user named.',
  input: z.object({
    urls: z.array(address).min(1).max(10).describe('1 to 10 URLs, e.g. ["https://example.org/a"]'),
    format: z
      .enum(['markdown', 'text'])
      .default('markdown')
      .describe('markdown keeps links and formatting; text drops them'),
    query: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .optional()
      .describe('Return only the passages of each page that answer this'),
    max_chars: maxCharacters(8000).describe('Maximum length of each page in characters (500 to 40000, default 8000)'),
    start_index: z
      .number()
      .int()
      .min(0)
      .default(0)
      .describe('Character offset to start at, to continue a long page (one url at a time)'),
  }),
  output: z.object({
    pages: z.array(
      z.object({
        url: z.string(),
        final_url: z.string(),
        canonical_url: z.string().optional(),
        marker: z.string().optional(),
        markers: z.array(z.string()),
        title: z.string().optional(),
        author: z.string().optional(),
        published_date: z.string().optional(),
        language: z.string().optional(),
        content: z.string(),
        content_type: z.string(),
        total_chars: z.number().int(),
        start_index: z.number().int(),
        next_index: z.number().int().optional(),
        hidden_chars_removed: z.number().int(),
        rendered: z.boolean(),
        fetched_at: z.string(),
        truncated: z.boolean(),
        trust: z.literal('untrusted_web'),
      }),
    ),
    failed: z.array(z.object({ url: z.string(), code: z.string(), message: z.string() })),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  needs: ['web_pages'],
  deadline: 45_000,

  async execute(input, context) {
    const { webPages, mayContact, signal } = context;
    if (webPages === undefined) throw new ServiceError('not_configured', 'Reading web pages is not available here.');
    const urls = [...new Set(input.urls)];
    const read = await Promise.allSettled(
      urls.map((url) => webPages.read(url, { signal, ...(mayContact && { mayContact }) })),
    );
    signal.throwIfAborted();
    const pages = read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failures = read.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ url: urls[index] ?? '', error: asServiceError(outcome.reason) }] : [],
    );
    const [first] = failures;
    if (pages.length === 0 && first !== undefined) throw allFailed(failures, first.error);

    const available = Math.floor(context.maxCharacters / Math.max(1, pages.length)) - HEADER_RESERVE;
    const max = Math.max(500, Math.min(input.max_chars, available));
    const shown = [];
    // Sequential, because source numbers follow the order of the pages.
    for (const page of pages) shown.push(await showPage(page, { ...input, max_chars: max }, context));
    const { audience } = context.settings;
    const failed = failures.map(({ url, error }) => ({
      url,
      code: codeOf(error),
      message: messageFor(error, audience),
    }));
    return {
      text: [...shown.map(({ block }) => block), ...failed.map(failureLine)].join('\n\n---\n\n'),
      structured: { pages: shown.map(({ record }) => record), failed },
      sources: shown.flatMap(({ passages }) => passages.map((page) => ({ kind: 'web' as const, page }))),
      isUntrusted: true,
    };
  },
});

const HEADER_RESERVE = 700;

interface ScrapeOptions {
  readonly format: 'markdown' | 'text';
  readonly query?: string | undefined;
  readonly max_chars: number;
  readonly start_index: number;
}

async function showPage(page: WebPage, wanted: ScrapeOptions, { webPages, cite }: ToolContext) {
  const text = wanted.format === 'text' ? page.text : page.markdown;
  const start = Math.min(wholeCharacterEnd(text, wanted.start_index), text.length);
  const end = wholeWordEnd(text, start, start + wanted.max_chars);
  const whole = end > start ? [{ start, text: text.slice(start, end) }] : [];
  const stretches =
    wanted.query === undefined ? whole : ((await webPages?.chunks(text, wanted.query, wanted.max_chars)) ?? []);
  const passages = stretches.map((stretch) => toPassage(page, stretch));
  const numbers = passages.map((passage) => cite({ kind: 'web', page: passage }));
  const content = passages.map((passage, index) => `[${numbers[index]}]\n${passage.text}`).join('\n\n');
  const next = wanted.query === undefined && end < text.length ? end : undefined;
  const markers = numbers.map((number) => `[${number}]`);
  return {
    passages,
    block: [
      headerOf(page, text.length),
      content === '' ? nothingOf(wanted) : content,
      footerOf(page, text.length, next, wanted),
    ].join('\n\n'),
    record: {
      url: page.url,
      final_url: page.finalUrl,
      ...(page.canonicalUrl !== undefined && { canonical_url: page.canonicalUrl }),
      ...(markers[0] !== undefined && { marker: markers[0] }),
      markers,
      ...(page.title !== undefined && { title: page.title }),
      ...(page.author !== undefined && { author: page.author }),
      ...(page.published !== undefined && { published_date: page.published }),
      ...(page.language !== undefined && { language: page.language }),
      content: passages.map((passage) => passage.text).join('\n\n'),
      content_type: page.mediaType ?? page.type,
      total_chars: text.length,
      start_index: passages[0]?.start ?? start,
      ...(next !== undefined && { next_index: next }),
      hidden_chars_removed: page.hiddenCharacters,
      rendered: page.isRendered,
      fetched_at: page.fetchedAt.toISOString(),
      truncated: next !== undefined,
      trust: 'untrusted_web' as const,
    },
  };
}

function headerOf(page: WebPage, length: number): string {
  const facts = [
    ...(page.author === undefined ? [] : [shortLine(page.author, 80)]),
    ...(page.published === undefined ? [] : [shortLine(page.published, 40)]),
    ...(page.language === undefined ? [] : [shortLine(page.language, 10)]),
    page.finalUrl,
    `${length} characters`,
  ];
  const hidden = page.hiddenCharacters === 0 ? '' : `\n(${page.hiddenCharacters} hidden characters were removed)`;
  return `${shortLine(page.title ?? 'Untitled page')} · ${facts.join(' · ')}${hidden}`;
}

const nothingOf = ({ query, start_index }: ScrapeOptions): string => {
  if (query !== undefined) return 'No passage of this page answers the query.';
  return start_index === 0 ? 'The page has no readable text.' : 'The start_index is past the end of the page.';
};

function footerOf(page: WebPage, length: number, next: number | undefined, wanted: ScrapeOptions): string {
  if (wanted.query !== undefined)
    return `Only passages that answer the query; leave query out to read all ${length} characters.`;
  if (next === undefined) return 'End of the page.';
  const format = wanted.format === 'text' ? ', format="text"' : '';
  return `More: call web_scrape with urls=["${page.url}"], start_index=${next}${format}.`;
}

const failureLine = ({
  url,
  code,
  message,
}: {
  readonly url: string;
  readonly code: string;
  readonly message: string;
}) => `${url} could not be read [${code}]: ${message}`;

function toPassage(page: WebPage, { start, text }: { readonly start: number; readonly text: string }): WebPassage {
  return {
    kind: 'page',
    id: createHash('sha256').update(canonicalUrl(page.finalUrl)).digest('hex').slice(0, 32),
    url: page.finalUrl,
    title: page.title ?? new URL(page.finalUrl).host,
    text,
    start,
    position: 0,
    date: page.published ?? null,
    sitelinks: [],
  };
}

function asServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError('internal', 'The page could not be read.', { cause: error });
}

const codeOf = ({ code }: ServiceError): string =>
  code === 'forbidden' ? 'blocked_url' : code === 'provider_failed' ? 'unreachable' : code;

/** Combines the messages of all failures; the code and the retry delay come from the first. */
function allFailed(failures: readonly { readonly error: ServiceError }[], first: ServiceError): ServiceError {
  const retry = first.retryAfter === undefined ? {} : { retryAfter: first.retryAfter };
  // The URL itself is not allowed, so the argument is invalid.
  const code = first.code === 'forbidden' ? 'invalid_request' : first.code;
  return new ServiceError(code, failures.map(({ error }) => error.message).join(' '), { cause: first, ...retry });
}
