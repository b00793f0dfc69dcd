import { texts } from '../../texts.ts';
import type { Quote } from './answer-state.ts';

/** "Annual report · page 12 · Safety". */
export function sourceLabel(title: string, quote: Quote | undefined): string {
  const { documentType, page = null, headings = [] } = quote ?? {};
  return [title, page === null ? '' : texts.ask.page(documentType, page), headings.at(-1) ?? '']
    .filter((part, index, parts) => part !== '' && parts.indexOf(part) === index)
    .join(' · ');
}
