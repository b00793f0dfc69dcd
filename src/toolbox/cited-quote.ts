import { z } from 'zod';
import type { Quote } from '../citations/citation.ts';
import { verdicts } from '../citations/verdict.ts';
import { pageLabel } from '../documents/page-label.ts';
import { shortLine } from '../shared/text.ts';

/** Wire format of a quote in tool results: the quoted text and its position. */
export const citedQuote = z.object({
  text: z.string(),
  start: z.int(),
  end: z.int(),
  page: z.int().optional(),
  heading_path: z.array(z.string()),
});

export type CitedQuote = z.output<typeof citedQuote>;

export const verdictField = z.enum(verdicts);

export const toCitedQuote = ({ text, start, end, page, headingPath }: Quote): CitedQuote => ({
  text,
  start,
  end,
  ...(page === null ? {} : { page }),
  heading_path: [...headingPath],
});

const MAX_SHOWN_QUOTE = 300;

interface QuotedSource {
  readonly documentType: string | undefined;
  readonly verdict: string | undefined;
  readonly quotes: readonly CitedQuote[];
}

/** ` · close · page 3 · Terms > Payment · “…”`: the first quote, for a line of a source list. */
export function quoteLine({ documentType, verdict, quotes: [first] }: QuotedSource): string {
  return [
    ...(verdict === undefined ? [] : [verdict]),
    ...(first?.page === undefined ? [] : [pageLabel(documentType, first.page)]),
    ...(first === undefined || first.heading_path.length === 0 ? [] : [shortLine(first.heading_path.join(' > '))]),
    ...(first === undefined
      ? []
      : [`“${shortLine(first.text, MAX_SHOWN_QUOTE)}” (characters ${first.start}-${first.end})`]),
  ]
    .map((part) => ` · ${part}`)
    .join('');
}
