import { type Located, locateQuote } from '../locate-quote.ts';
import type { QuoteFacts } from '../quote-facts.ts';
import type { OpenPdf } from './open-pdf.ts';

/** Pages before the cited one, and after it, that a quote can lie on as well. */
const BEFORE = 1;
const AFTER = 2;

/** Where the quote stands on the page it was read from, or over the break to the next. */
export async function locateInPdf(pdf: OpenPdf, { words, before, after, page }: QuoteFacts): Promise<Located> {
  if (page === undefined || page > pdf.pageCount) return { kind: 'not_found' };
  const first = Math.max(1, page - BEFORE);
  const last = Math.min(pdf.pageCount, page + AFTER);
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const pages = await Promise.all(
    numbers.map(async (number) => ({ number, text: (await pdf.textOf(number)).items.text })),
  );
  return locateQuote(pages, words, page, { before, after });
}
