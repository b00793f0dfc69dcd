import { percentDecoded } from '../../../shared/text.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { type HtmlNode, textBelow } from '../html/html-nodes.ts';

/** A part of a book, as listed in the manifest. */
export interface BookItem {
  readonly path: string;
  readonly mediaType: string;
  readonly properties: string;
}

/** Resolves a reference to the name of a part; the fragment after `#` is dropped. */
export function resolveHref(folder: string, href: string): string {
  const names: string[] = [];
  for (const name of (folder + percentDecoded(href.replace(/#.*$/s, ''))).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

/** The text of an element on one line. */
export const lineOf = (node: HtmlNode): string => cleanLine(textBelow(node));
