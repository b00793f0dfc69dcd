import { placesWithin } from '../documents/places.ts';
import type { Passage, Source } from './citation.ts';
import type { Quotable } from './find-quote.ts';

/** Text of a source with its position in the document; undefined for a document as a whole. */
export function quotableOf(source: Source): Quotable | undefined {
  switch (source.kind) {
    case 'chunk':
      return source.chunk;
    case 'document':
      return source.passage && readPassage(source.passage);
    case 'graph':
      return source.hit.sentence;
    case 'web':
      return { text: source.page.text, start: source.page.start, page: null, headingPath: [] };
  }
}

function readPassage(passage: Passage): Quotable {
  const { start, text, pages, headings } = passage;
  const range = { start, end: start + text.length, page: null, headingPath: [] };
  const above = headings?.findLast((heading) => heading.start <= start)?.path ?? [];
  const outline = { pages, ...(headings && { headings }) };
  return { ...range, text, places: placesWithin({ ...range, headingPath: above }, outline) };
}
