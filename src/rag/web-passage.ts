import type { Source, WebPassage } from '../citations/citation.ts';
import type { Quotable } from '../citations/find-quote.ts';
import type { WebResult } from '../web/web-search.ts';

/** A web result as a citable source; only its snippet was read. */
export const toWebPassage = ({ id, url, title, snippet, position, date, sitelinks }: WebResult): WebPassage => ({
  kind: 'result',
  ...{ id, url, title, text: snippet, start: 0, position, date, sitelinks },
});

/** Text of a source from which quotes can be taken. */
export function quotableOf(source: Source): Quotable | undefined {
  switch (source.kind) {
    case 'chunk':
      return source.chunk;
    case 'document':
      return undefined;
    case 'graph':
      return source.hit.sentence;
    case 'web':
      return { text: source.page.text, start: source.page.start, page: null, headingPath: [] };
  }
}
