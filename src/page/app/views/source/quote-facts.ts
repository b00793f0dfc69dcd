import { texts } from '../../texts.ts';
import type { Quote } from './quote.ts';
import type { LocatedText } from './source-data.ts';
import { spanAt } from './text-window.ts';

/** Facts about a quote used to locate it in the original. */
export interface QuoteFacts {
  readonly words: string;
  readonly before: string;
  readonly after: string;
  readonly page: number | undefined;
  readonly headingPath: readonly string[];
}

/** Number of context characters read on either side of a quote. */
export const CONTEXT_CHARACTERS = 400;

/** Reads the facts from a window that starts up to `CONTEXT_CHARACTERS` before the quote. */
export function factsOf({ start, end }: Quote, window: LocatedText): QuoteFacts {
  const page = spanAt(window.pages, start);
  // Other pages are left out of the context: their headers and footers are not in the extracted text.
  const from = Math.max(window.start, page?.start ?? 0);
  const to = Math.max(end, spanAt(window.pages, end - 1)?.end ?? Number.POSITIVE_INFINITY);
  const slice = (first: number, last: number) => window.text.slice(first - window.start, last - window.start);
  return {
    words: slice(start, end),
    before: slice(from, start),
    after: slice(end, to),
    page: page?.number,
    headingPath: window.headings.findLast((each) => each.start <= start)?.heading_path ?? [],
  };
}

/** “Page 3 · Finance › Results”, and “Slide 3” in a presentation. */
export function locationText(facts: QuoteFacts | undefined, documentType: string): string {
  if (facts === undefined) return '';
  const parts = [
    facts.page === undefined ? '' : texts.source.page(documentType, facts.page),
    facts.headingPath.join(' › '),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
