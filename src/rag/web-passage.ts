import type { Source, WebPassage } from '../citations/citation.ts';
import type { Quotable } from '../citations/find-quote.ts';
import type { WebResult } from '../web/web-search.ts';

/** A search result as a source: its snippet is what was read of it. */
export const toWebPassage = ({ id, url, title, snippet, position, date, sitelinks }: WebResult): WebPassage => ({
  kind: 'result',
  ...{ id, url, title, text: snippet, start: 0, position, date, sitelinks },
});

/** The text of a source from which a quote can be taken. */
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
