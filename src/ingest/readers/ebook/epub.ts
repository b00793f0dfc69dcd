import { ServiceError } from '../../../errors.ts';
import { lettersAndDigits } from '../../../shared/text.ts';
import { composeDocuments } from '../compose-documents.ts';
import { openZipPackage, type ZipPackage } from '../containers/zip-package.ts';
import type { HtmlNode } from '../html/html-nodes.ts';
import { readWholeHtml, type WholeHtml } from '../html/whole-html.ts';
import { readProperties } from '../office/office-properties.ts';
import type { Reader, ReaderInput } from '../reader.ts';
import { attributeOf, elementsBelow, firstBelow, parseXml } from '../xml/xml.ts';
import { navigationTitles } from './epub-navigation.ts';
import { type BookItem, resolveHref } from './epub-parts.ts';

/** E-books: chapters in reading order, under the titles of the table of contents. */
export const epubReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const file = openZipPackage({ bytes, fileName, what: 'an e-book' });
    const packagePath = packagePathOf(file, fileName);
    const root = parseXml(file.text(packagePath) ?? '', fileName);
    const folder = packagePath.slice(0, packagePath.lastIndexOf('/') + 1);
    const items = itemsOf(root, folder);
    refuseLocked(file, items, fileName);
    const titles = navigationTitles(file, { root, items, fileName });
    const composition = composeDocuments(fileName);
    for (const chapter of chaptersOf(root, items)) {
      signal.throwIfAborted();
      const html = file.text(chapter);
      if (html === undefined) continue;
      const content = readWholeHtml(html);
      const title = titles.get(chapter);
      if (title !== undefined && !beginsWith(content, title)) composition.add('heading', title, 1);
      composition.append(content, 0);
    }
    const { title, ...metadata } = readProperties(file, packagePath, fileName);
    return { ...composition.finish(), pages: [], ...(title !== undefined && { title }), metadata };
  },
};

const notABook = (fileName: string): ServiceError =>
  new ServiceError('invalid_request', `${fileName} is not a readable e-book: it does not say where its text begins.`);

function packagePathOf(file: ZipPackage, fileName: string): string {
  const container = file.text('META-INF/container.xml');
  const named =
    container === undefined
      ? undefined
      : [...elementsBelow(parseXml(container, fileName), 'rootfile')].map(({ attribs }) =>
          attributeOf(attribs, 'full-path'),
        )[0];
  const path = named ?? file.names.find((name) => /\.opf$/i.test(name));
  if (path === undefined || file.text(path) === undefined) throw notABook(fileName);
  return path;
}

/** The book's manifest, by identifier. */
function itemsOf(root: HtmlNode, folder: string): Map<string, BookItem> {
  return new Map(
    [...elementsBelow(root, 'item')].flatMap(({ attribs }) => {
      const id = attributeOf(attribs, 'id');
      const href = attributeOf(attribs, 'href');
      if (id === undefined || href === undefined) return [];
      const mediaType = attributeOf(attribs, 'media-type') ?? '';
      return [
        [id, { path: resolveHref(folder, href), mediaType, properties: attributeOf(attribs, 'properties') ?? '' }],
      ];
    }),
  );
}

/** The text parts in reading order, each once. */
function chaptersOf(root: HtmlNode, items: ReadonlyMap<string, BookItem>): string[] {
  const spine = firstBelow(root, 'spine');
  const ids =
    spine === undefined
      ? [...items.keys()]
      : [...elementsBelow(spine, 'itemref')].map(({ attribs }) => attributeOf(attribs, 'idref') ?? '');
  const paths = ids.flatMap((id) => {
    const item = items.get(id);
    const isText = item !== undefined && /xhtml|html|x-dtbook/.test(item.mediaType);
    // The table of contents adds nothing to the chapters.
    return isText && !/\bnav\b/.test(item.properties) ? [item.path] : [];
  });
  return [...new Set(paths)];
}

/** Rejects books with DRM. Obfuscated fonts occur in books without DRM. */
function refuseLocked(file: ZipPackage, items: ReadonlyMap<string, BookItem>, fileName: ReaderInput['fileName']): void {
  const list = file.text('META-INF/encryption.xml');
  if (list === undefined) return;
  const locked = new Set(
    [...elementsBelow(parseXml(list, fileName), 'CipherReference')].map(({ attribs }) =>
      resolveHref('', attributeOf(attribs, 'URI') ?? ''),
    ),
  );
  if ([...items.values()].some(({ path, mediaType }) => /html/.test(mediaType) && locked.has(path)))
    throw new ServiceError('invalid_request', `${fileName} is locked by its seller (DRM) and cannot be read.`);
}

/** Whether a chapter begins with its own title, possibly split into two headings. */
function beginsWith({ text, blocks }: WholeHtml, title: string): boolean {
  const [first] = blocks;
  if (first?.kind !== 'heading') return false;
  return lettersAndDigits(text.slice(0, title.length * 2 + 40)).includes(lettersAndDigits(title));
}
