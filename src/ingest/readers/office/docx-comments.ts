import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import { attributeOf, elementsBelow, parseXml } from '../xml/xml.ts';
import { commentText } from './comment-text.ts';

/** The style rule with which the library writes comments at the end of the document, and references to them. */
export const COMMENT_STYLE = 'comment-reference => sup';

/** Authors by the identifiers of their comments. */
export function commentAuthors(part: string | undefined, fileName: string): ReadonlyMap<string, string> {
  if (part === undefined) return new Map();
  return new Map(
    [...elementsBelow(parseXml(part, fileName), 'comment')].map(({ attribs }) => [
      attributeOf(attribs, 'id') ?? '',
      attributeOf(attribs, 'author') ?? '',
    ]),
  );
}

/** Moves each comment below the paragraph it belongs to. */
export function placeComments($: CheerioAPI, authors: ReadonlyMap<string, string>): void {
  const notes = new Map(
    $('dt[id^="comment-"]')
      .get()
      .map((term) => {
        const body = $(term).next('dd');
        body.find('a[href^="#comment-ref-"]').remove();
        const paragraphs = body.find('p').get();
        const text = paragraphs.length === 0 ? body.text() : paragraphs.map((each) => $(each).text()).join(' ');
        return [term.attribs['id'] ?? '', oneLine(text)] as const;
      }),
  );
  for (const reference of $('a[id^="comment-ref-"]').get().toReversed()) {
    const id = (reference.attribs['href'] ?? '').slice(1);
    const text = notes.get(id) ?? '';
    const mark = $(reference).parent('sup');
    const block = $(reference).closest('p, h1, h2, h3, h4, h5, h6');
    if (text !== '') {
      const paragraph = $('<p></p>').text(commentText(text, authors.get(id.replace(/^comment-/, ''))));
      if (block.length > 0) block.after(paragraph);
      else mark.after(paragraph);
    }
    (mark.length > 0 ? mark : $(reference)).remove();
  }
  $('dt[id^="comment-"]').closest('dl').remove();
}
