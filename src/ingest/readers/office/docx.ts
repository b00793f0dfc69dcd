import { load } from 'cheerio';
import mammoth from 'mammoth';
import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { openZipPackage } from '../containers/zip-package.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { addHtmlBlocks } from '../html/html-blocks.ts';
import { type HtmlElement, textBelow } from '../html/html-nodes.ts';
import { cleaning, removeNoteMarks } from '../html/prepare-html.ts';
import type { Reader } from '../reader.ts';
import { checkXmlDepth, elementsBelow, elementsOf, localName, parseXml } from '../xml/xml.ts';
import { COMMENT_STYLE, commentAuthors, placeComments } from './docx-comments.ts';
import { readProperties } from './office-properties.ts';

/** Word documents, including strict ones: headings, lists, tables, text boxes, notes, comments, and page headers and footers. */
export const docxReader: Reader = {
  async read({ bytes, fileName }) {
    const file = openZipPackage({ bytes, fileName, what: 'a Word document' });
    // Decompressed once under a shared limit, so that the library cannot be made to decompress more.
    const texts = new Map(file.names.filter(isXml).map((name) => [name, file.text(name) ?? '']));
    checkNesting(texts, fileName);
    const html = await convert(bytes, fileName);
    // Under a single root: finding elements among many siblings takes quadratic time.
    const $ = load(`<div>${html}</div>`, null, false);
    // Removes the links back from a note to the text.
    $('a[href^="#footnote-ref"], a[href^="#endnote-ref"]').remove();
    placeComments($, commentAuthors(texts.get('word/comments.xml'), fileName));
    removeNoteMarks($);
    const builder = createTextBuilder();
    for (const line of runningLines(texts, 'header', fileName)) builder.add('paragraph', line);
    for (const root of $.root().get()) addHtmlBlocks(cleaning(builder), root);
    for (const line of runningLines(texts, 'footer', fileName)) builder.add('paragraph', line);
    const { title, ...metadata } = readProperties(file, 'docProps/core.xml', fileName);
    const content = builder.finish();
    const firstHeading = content.blocks.find(({ kind }) => kind === 'heading');
    const shown =
      title ?? (firstHeading?.level === 1 ? content.text.slice(firstHeading.start, firstHeading.end) : undefined);
    return { ...content, ...(shown === undefined ? {} : { title: shown }), metadata };
  },
};

const isXml = (name: string): boolean => /\.(?:xml|rels)$/i.test(name);

/** The library recurses once per level. */
function checkNesting(texts: ReadonlyMap<string, string>, fileName: string): void {
  for (const text of texts.values()) checkXmlDepth(text, fileName);
}

/** The lines of page headers or footers, each once; page numbers and dates are fields and are left out. */
function runningLines(texts: ReadonlyMap<string, string>, place: 'header' | 'footer', fileName: string): string[] {
  const lines = new Set<string>();
  for (const [name, text] of texts) {
    if (!new RegExp(`^word/${place}\\d*\\.xml$`, 'i').test(name)) continue;
    for (const paragraph of elementsBelow(parseXml(text, fileName), 'p')) {
      const line = cleanLine(lineOf(paragraph));
      if (/\p{L}{2}/u.test(line) && !/^(?:page|seite|p\.)\s*\d*(?:\s*(?:of|von|\/)\s*\d*)?$/i.test(line))
        lines.add(line);
    }
  }
  return [...lines];
}

/** The text of a paragraph; tabs and line breaks separate the parts of a header. */
function lineOf(node: HtmlElement): string {
  return elementsOf(node)
    .map((child) => {
      const name = localName(child.name);
      if (name === 'tab' || name === 'br') return ' ';
      return name === 't' ? textBelow(child) : lineOf(child);
    })
    .join('');
}

async function convert(bytes: Uint8Array, fileName: string): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        // Pictures have no text; dropping them avoids megabytes of base64.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
        styleMap: [COMMENT_STYLE, "p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
        externalFileAccess: false,
      },
    );
    return value;
  } catch (error) {
    // The library's message is for programmers; it stays in the cause.
    throw new ServiceError('invalid_request', `${fileName} is not a readable Word document: its main part is broken.`, {
      cause: error,
    });
  }
}
