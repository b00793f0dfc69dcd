import { type Located, locateQuote } from '../locate-quote.ts';
import type { QuoteFacts } from '../quote-facts.ts';
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
  const pages = numbers.map(async (number) => ({ number, text: (await pdf.textOf(number)).items.text }));
  return locateQuote(await Promise.all(pages), words, page, { before, after });
}
