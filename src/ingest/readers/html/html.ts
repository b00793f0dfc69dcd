import { type CheerioAPI, load } from 'cheerio';
import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { createTextBuilder } from '../build-text.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { limitNesting } from '../limit-nesting.ts';
import type { Reader } from '../reader.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import { declaredCharset } from './html-charset.ts';
import { removeMarks } from './html-code.ts';
import { removeHidden } from './html-hidden.ts';
import { findMainContent } from './html-main-content.ts';
import { writeFormulas } from './html-math.ts';
import { readHtmlMetadata } from './html-metadata.ts';
import { textBelow } from './html-nodes.ts';

/** Web pages: the main content without navigation and other boilerplate, tables in Markdown. */
export const htmlReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const $ = load(limitNesting(decoded.text));
    const { title, articleBody, isArticle, canonicalUrl: _, site: __, ...metadata } = readHtmlMetadata($);
    const evidence = { title, description: metadata.description, articleBody, isArticle };
    writeFormulas($);
    for (const root of $.root().get()) removeHidden(root);
    removeNoteMarks($);
    removeMarks($);
    const builder = createTextBuilder();
    // Character references may encode characters that were removed from the raw text.
    const cleaned: typeof builder = {
      ...builder,
      add: (kind, text, heading) => builder.add(kind, cleanText(text), heading),
    };
    for (const root of findMainContent($, evidence)) addHtmlBlocks(cleaned, root);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

const NOTE_LINK = 'a[href*="#"]';

/**
 * Removes links such as `[3]` to footnotes, which are meaningless without the note and would look like citations in an
 * answer.
 */
export function removeNoteMarks($: CheerioAPI): void {
  $('sup')
    .filter(
      (_, element) =>
        /^\[? ?(?:\d{1,3}|[a-z]|note \d+) ?\]?$/i.test(oneLine(textBelow(element))) &&
        ($(element).find(NOTE_LINK).length > 0 || $(element).closest(NOTE_LINK).length > 0),
    )
    .remove();
}
