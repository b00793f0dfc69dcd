import type { ZipPackage } from '../containers/zip-package.ts';
import type { HtmlNode } from '../html/html-nodes.ts';
import { attributeOf, elementsBelow, firstBelow, parseXml } from '../xml/xml.ts';
import { type BookItem, lineOf, resolveHref } from './epub-parts.ts';

export interface Book {
  readonly root: HtmlNode;
  readonly items: ReadonlyMap<string, BookItem>;
  readonly fileName: string;
}

/**
 * Chapter titles from either form of the table of contents, by the part they begin; the first one for a part with
 * several.
 */
export function navigationTitles(file: ZipPackage, book: Book): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  for (const { path, title } of entriesOf(file, book)) {
    if (title !== '' && title.length <= 300 && !titles.has(path)) titles.set(path, title);
  }
  return titles;
}

interface Entry {
  readonly path: string;
  readonly title: string;
}

function entriesOf(file: ZipPackage, { root, items, fileName }: Book): Entry[] {
  const all = [...items.values()];
  const page = all.find(({ properties }) => /\bnav\b/.test(properties));
  const text = page && file.text(page.path);
  if (page !== undefined && text !== undefined) {
    const contents = parseXml(text, fileName);
    const nav =
      [...elementsBelow(contents, 'nav')].find(({ attribs }) => attributeOf(attribs, 'type') === 'toc') ?? contents;
    return [...elementsBelow(nav, 'a')].map((link) => ({
      path: resolveHref(folderOf(page.path), attributeOf(link.attribs, 'href') ?? ''),
      title: lineOf(link),
    }));
  }
  const spine = firstBelow(root, 'spine');
  const old =
    items.get((spine && attributeOf(spine.attribs, 'toc')) ?? '') ??
    all.find(({ mediaType }) => mediaType.includes('ncx'));
  const list = old && file.text(old.path);
  if (old === undefined || list === undefined) return [];
  return pointsBelow(parseXml(list, fileName)).flatMap((point) => {
    const label = firstBelow(point, 'navLabel');
    const target = firstBelow(point, 'content');
    if (label === undefined || target === undefined) return [];
    return [{ path: resolveHref(folderOf(old.path), attributeOf(target.attribs, 'src') ?? ''), title: lineOf(label) }];
  });
}

/** Navigation points may be nested. */
const pointsBelow = (node: HtmlNode): HtmlNode[] =>
  [...elementsBelow(node, 'navPoint')].flatMap((point) => [point, ...pointsBelow(point)]);

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
