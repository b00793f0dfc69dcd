import { cleanText } from './clean-text.ts';
import { type HtmlNode, textBelow } from './html-nodes.ts';

/** A part of a book, as its list of parts tells of it. */
export interface BookItem {
  readonly path: string;
  readonly mediaType: string;
  readonly properties: string;
}

/** Where a reference leads, as the name of a part; what comes after `#` is left out. */
export function resolveHref(folder: string, href: string): string {
  const names: string[] = [];
  for (const name of (folder + decode(href.replace(/#.*$/s, ''))).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The words of an element in one line. */
export const lineOf = (node: HtmlNode): string => cleanText(textBelow(node)).replaceAll(/\s+/g, ' ').trim();
