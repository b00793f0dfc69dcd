import { oneLine } from '../../../shared/text.ts';
import type { TextBuilder } from '../build-text.ts';
import { codeLanguage, codeText } from './html-code.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, isTaskBox } from './html-nodes.ts';
import { isDataTable, tableLine, tableRows } from './html-table.ts';

const DROPPED = new Set(
  'script style noscript template iframe object embed svg math canvas audio video select option datalist head title button input textarea'.split(
    ' ',
  ),
);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** How inline elements with markup, such as links, are written. */
export interface InlineStyle {
  link(text: string, element: HtmlElement): string;
  code(text: string): string;
  emphasis(text: string, mark: '*' | '**'): string;
  image(alternative: string, element: HtmlElement): string;
  codeBlock(text: string, language: string | undefined): string;
}

/** No markup. The alternative text of a picture is kept, because nothing else says what it shows. */
export const plainStyle: InlineStyle = {
  link: (text) => text,
  code: (text) => text,
  emphasis: (text) => text,
  image: (alternative) => alternative,
  codeBlock: (text) => text,
};
const heading: InlineStyle = { ...plainStyle, image: () => '' };

/** Writes the visible content below `root` into the builder, block by block. */
export function addHtmlBlocks(builder: TextBuilder, root: HtmlNode, style: InlineStyle = plainStyle): void {
  // Collects inline content between blocks until the next block begins.
  let inline = '';
  const flush = (kind: 'paragraph' | 'quote') => {
    builder.add(kind, tidyInline(inline));
    inline = '';
  };

  const visit = (node: HtmlNode, kind: 'paragraph' | 'quote'): void => {
    if (node.type === 'text') {
      inline += node.data.replace(/[ \t\n\r]+/g, ' ');
      return;
    }
    if (!isElement(node)) {
      for (const child of childrenOf(node)) visit(child, kind);
      return;
    }
    const { name } = node;
    if (DROPPED.has(name)) return;
    if (name === 'br') inline += '\n';
    else if (name === 'img') inline += imageText(node, style);
    else if (INLINE.has(name) && !hasBlocks(node)) inline += inlineText(node, style);
    else {
      flush(kind);
      addBlock(node, name === 'blockquote' ? 'quote' : kind);
      flush(kind);
    }
  };

  const addBlock = (node: HtmlElement, kind: 'paragraph' | 'quote'): void => {
    const level = /^h([1-6])$/.exec(node.name)?.[1];
    if (level !== undefined) builder.add('heading', oneLine(inlineText(node, heading)), { level: Number(level) });
    else if (node.name === 'pre') builder.add('code', style.codeBlock(codeText(node), codeLanguage(node)));
    else if (node.name === 'ul' || node.name === 'ol') builder.add('list', listLines(node, 0, style).join('\n'));
    else if (node.name === 'dl') builder.add('list', definitionLines(node, style).join('\n'));
    else if (node.name === 'table' && isDataTable(node))
      builder.add(
        'table',
        tableRows(node, (cell) => inlineText(cell, style)),
      );
    else {
      for (const child of childrenOf(node)) visit(child, kind);
      flush(kind);
    }
  };

  visit(root, 'paragraph');
  flush('paragraph');
}

/** True when an inline element contains a block, which is invalid HTML; its children are then treated as blocks. */
function hasBlocks(node: HtmlElement): boolean {
  return childrenOf(node).some(
    (child) =>
      isElement(child) &&
      ((!INLINE.has(child.name) && child.name !== 'br' && !DROPPED.has(child.name)) || hasBlocks(child)),
  );
}

/** Text of an element and its descendants as inline text. */
function inlineText(node: HtmlNode, style: InlineStyle): string {
  if (node.type === 'text') return node.data.replace(/[ \t\n\r]+/g, ' ');
  if (isElement(node)) {
    if (DROPPED.has(node.name)) return '';
    if (node.name === 'br') return '\n';
    if (node.name === 'img') return imageText(node, style);
    if (node.name === 'table') return ` ${tableLine(node, (cell) => oneLine(inlineText(cell, style)))} `;
  }
  const text = childrenOf(node)
    .map((child) => inlineText(child, style))
    .join('');
  return isElement(node) ? styled(node, text, style) : text;
}

function styled(node: HtmlElement, text: string, style: InlineStyle): string {
  if (node.name === 'a') return style.link(text, node);
  if (node.name === 'code' || node.name === 'kbd' || node.name === 'samp') return style.code(text);
  if (node.name === 'em' || node.name === 'i') return style.emphasis(text, '*');
  if (node.name === 'strong' || node.name === 'b') return style.emphasis(text, '**');
  if (node.name === 'sup' || node.name === 'sub') return raisedText(node, text);
  return INLINE.has(node.name) ? text : ` ${text} `;
}

/** The alternative text of a picture, unless it is a file name or a single short word, which adds nothing. */
function imageText(image: HtmlElement, style: InlineStyle): string {
  const alternative = oneLine(image.attribs['alt'] ?? '');
  if (
    !/\S\s+\S/.test(alternative) &&
    !/^\p{L}{8,}$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{3}/u.test(alternative)
  )
    return '';
  const text = style.image(alternative, image);
  return text === '' ? '' : ` ${text} `;
}

const ORDINAL = /^(?:st|nd|rd|th|er|re|e|ème|de|nd[es]?|o|a|º|ª|TM|SM|™|®|©)$/;

/** `10<sup>6</sup>` as `10^6`, `x<sub>i</sub>` as `x_i`; chemical formulas, ordinals and trade marks need no sign. */
function raisedText(node: HtmlElement, text: string): string {
  const inner = text.trim();
  const { prev, next } = node;
  const before = prev === null || prev === undefined ? '' : lastText(prev);
  if (inner === '' || !/[\p{L}\p{N})\]]$/u.test(before) || /^[^\p{L}\p{N}+−–-]/u.test(inner)) return text;
  if (node.name === 'sup' && (ORDINAL.test(inner) || /^\[/.test(inner))) return text;
  if (node.name === 'sub' && /^\d+$/.test(inner) && /(?:^|[^a-z])(?:[A-Z][a-z]?|\))$/.test(before)) return text;
  // Several raised or lowered words are not an exponent or an index.
  if (/\s/.test(inner) && !/[-+−=*/]/.test(inner)) return text;
  const runsOn = next?.type === 'text' && /^[\p{L}\p{N}]/u.test(next.data);
  const isShort = /^[+−–-]?[\p{L}\p{N}.,]+$/u.test(inner);
  return `${node.name === 'sup' ? '^' : '_'}${isShort && !runsOn ? inner : `(${inner})`}`;
}

function lastText(node: HtmlNode): string {
  if (node.type === 'text') return node.data;
  const last = childrenOf(node).at(-1);
  return last === undefined ? '' : lastText(last);
}

function listLines(list: HtmlElement, depth: number, style: InlineStyle): string[] {
  const indent = '  '.repeat(depth);
  let number = Number.parseInt(list.attribs['start'] ?? '1', 10) || 1;
  return childrenOf(list).flatMap((item) => {
    if (!isElement(item)) return [];
    if (item.name === 'ul' || item.name === 'ol') return listLines(item, depth + 1, style);
    if (DROPPED.has(item.name)) return [];
    const nested = listsIn(item);
    const own = `${taskMark(item)}${oneLine(inlineWithout(item, new Set(nested), style))}`.trimEnd();
    const mark = list.name === 'ol' ? `${number++}.` : '-';
    return [
      ...(own === '' ? [] : [`${indent}${mark} ${own}`]),
      ...nested.flatMap((inner) => listLines(inner, depth + 1, style)),
    ];
  });
}

/** The Markdown check box of an item in a task list; empty if it has none. */
function taskMark(item: HtmlElement): string {
  const box = firstBox(item);
  return box === undefined ? '' : 'checked' in box.attribs ? '[x] ' : '[ ] ';
}

function firstBox(node: HtmlNode): HtmlElement | undefined {
  for (const child of childrenOf(node)) {
    if (!isElement(child) || child.name === 'ul' || child.name === 'ol') continue;
    if (isTaskBox(child)) return child;
    const below = firstBox(child);
    if (below !== undefined) return below;
  }
  return undefined;
}

function listsIn(node: HtmlNode): HtmlElement[] {
  return childrenOf(node).flatMap((child) => {
    if (!isElement(child)) return [];
    return child.name === 'ul' || child.name === 'ol' ? [child] : listsIn(child);
  });
}

function inlineWithout(node: HtmlNode, left: ReadonlySet<HtmlNode>, style: InlineStyle): string {
  if (left.has(node)) return ' ';
  if (
    node.type === 'text' ||
    (isElement(node) && (DROPPED.has(node.name) || node.name === 'br' || node.name === 'img' || node.name === 'table'))
  )
    return inlineText(node, style);
  const text = childrenOf(node)
    .map((child) => inlineWithout(child, left, style))
    .join('');
  return isElement(node) ? styled(node, text, style) : text;
}

/** Terms are often written with a colon, or are questions. */
const ENDS_TERM = /[:?!：？！]$/;

/** One `Term: definition` per line. */
function definitionLines(list: HtmlElement, style: InlineStyle): string[] {
  const lines: string[] = [];
  let term = '';
  const visit = (node: HtmlNode) => {
    for (const child of childrenOf(node)) {
      if (!isElement(child)) continue;
      const text = child.name === 'dt' || child.name === 'dd' ? oneLine(inlineText(child, style)) : '';
      if (child.name === 'dt') {
        if (term !== '') lines.push(term);
        term = text;
      } else if (child.name === 'dd') {
        lines.push(term === '' ? text : `${term}${ENDS_TERM.test(term) ? '' : ':'} ${text}`);
        term = '';
      } else visit(child);
    }
  };
  visit(list);
  if (term !== '') lines.push(term);
  return lines;
}

/** Keeps line breaks from `<br>` and removes the spaces around them. */
const tidyInline = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
