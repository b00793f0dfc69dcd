import { oneLine } from '../../../shared/text.ts';
import type { TextBuilder } from '../build-text.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';
import { isDataTable, tableRows } from './html-table.ts';

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
}

const plain: InlineStyle = { link: (text) => text, code: (text) => text };

/** Writes the visible content below `root` into the builder, block by block. */
export function addHtmlBlocks(builder: TextBuilder, root: HtmlNode, style: InlineStyle = plain): void {
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
    else if (INLINE.has(name) && !hasBlocks(node)) inline += inlineText(node, style);
    else {
      flush(kind);
      addBlock(node, name === 'blockquote' ? 'quote' : kind);
      flush(kind);
    }
  };

  const addBlock = (node: HtmlElement, kind: 'paragraph' | 'quote'): void => {
    const level = /^h([1-6])$/.exec(node.name)?.[1];
    if (level !== undefined) builder.add('heading', oneLine(inlineText(node, plain)), { level: Number(level) });
    else if (node.name === 'pre') builder.add('code', textBelow(node));
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
  }
  const text = childrenOf(node)
    .map((child) => inlineText(child, style))
    .join('');
  return isElement(node) ? styled(node, text, style) : text;
}

function styled(node: HtmlElement, text: string, style: InlineStyle): string {
  if (node.name === 'a') return style.link(text, node);
  if (node.name === 'code' || node.name === 'kbd' || node.name === 'samp') return style.code(text);
  return INLINE.has(node.name) ? text : ` ${text} `;
}

function listLines(list: HtmlElement, depth: number, style: InlineStyle): string[] {
  const indent = '  '.repeat(depth);
  let number = Number.parseInt(list.attribs['start'] ?? '1', 10) || 1;
  return childrenOf(list).flatMap((item) => {
    if (!isElement(item)) return [];
    if (item.name === 'ul' || item.name === 'ol') return listLines(item, depth + 1, style);
    if (DROPPED.has(item.name)) return [];
    const nested = listsIn(item);
    const own = oneLine(inlineWithout(item, new Set(nested), style));
    const mark = list.name === 'ol' ? `${number++}.` : '-';
    return [
      ...(own === '' ? [] : [`${indent}${mark} ${own}`]),
      ...nested.flatMap((inner) => listLines(inner, depth + 1, style)),
    ];
  });
}

function listsIn(node: HtmlNode): HtmlElement[] {
  return childrenOf(node).flatMap((child) => {
    if (!isElement(child)) return [];
    return child.name === 'ul' || child.name === 'ol' ? [child] : listsIn(child);
  });
}

function inlineWithout(node: HtmlNode, left: ReadonlySet<HtmlNode>, style: InlineStyle): string {
  if (left.has(node)) return ' ';
  if (node.type === 'text' || (isElement(node) && (DROPPED.has(node.name) || node.name === 'br')))
    return inlineText(node, style);
  const text = childrenOf(node)
    .map((child) => inlineWithout(child, left, style))
    .join('');
  return isElement(node) ? styled(node, text, style) : text;
}

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
        lines.push(term === '' ? text : `${term}: ${text}`);
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
