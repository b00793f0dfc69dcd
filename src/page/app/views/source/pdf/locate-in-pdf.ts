import { type Located, locateQuote } from '../locate-quote.ts';
import type { QuoteFacts } from '../quote-facts.ts';
import { locateRuns } from './locate-runs.ts';
import type { OpenPdf } from './open-pdf.ts';

/** Number of pages before and after the cited one that are searched as well. */
const BEFORE = 1;
const AFTER = 2;

/** Locates the quote on its page, or across the break to the next one. */
export async function locateInPdf(pdf: OpenPdf, { words, before, after, page }: QuoteFacts): Promise<Located> {
  if (page === undefined || page > pdf.pageCount) return { kind: 'not_found' };
  const first = Math.max(1, page - BEFORE);
  const last = Math.min(pdf.pageCount, page + AFTER);
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const pages = await Promise.all(numbers.map(async (number) => ({ number, items: (await pdf.textOf(number)).items })));
  const texts = pages.map(({ number, items }) => ({ number, text: items.text }));
  const located = locateQuote(texts, words, page, { before, after });
  return located.kind === 'not_found' ? locateRuns(pages, words, page) : located;
}
