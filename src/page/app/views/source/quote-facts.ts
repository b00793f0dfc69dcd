import { texts } from '../../texts.ts';
import type { Quote } from './quote.ts';
import { pageAt, type TextWindow } from './text-window.ts';

/** Facts about a quote used to locate it in the original. */
export interface QuoteFacts {
  readonly words: string;
  readonly before: string;
  readonly after: string;
  readonly page: number | undefined;
  readonly headingPath: readonly string[];
}

/** Number of context characters read on either side of a quote. */
export const CONTEXT_CHARACTERS = 160;

/** Reads the facts from a window that starts up to `CONTEXT_CHARACTERS` before the quote. */
export function factsOf({ start, end }: Quote, window: TextWindow, headingPath: readonly string[]): QuoteFacts {
  const from = start - window.start;
  return {
    words: window.text.slice(from, end - window.start),
    before: window.text.slice(0, from),
    after: window.text.slice(end - window.start),
    page: pageAt(window.pages, start),
    headingPath,
  };
}

/** “Page 3 · Finance › Results” */
export function locationText(facts: QuoteFacts | undefined): string {
  if (facts === undefined) return '';
  const parts = [facts.page === undefined ? '' : texts.source.page(facts.page), facts.headingPath.join(' › ')];
  return parts.filter((part) => part !== '').join(' · ');
}
