import { oneLine } from '../../../shared/text.ts';
import type { TextBuilder } from '../build-text.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { type GridCell, gridTable } from '../grid-table.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, textBelow } from '../html/html-nodes.ts';
import { commentText } from '../office/comment-text.ts';
import { elementsBelow, elementsOf, localName } from '../xml/xml.ts';

/** State collected while reading a text. */
export interface OpenDocumentContext {
  /** The named style of each automatic style. */
  readonly styles: ReadonlyMap<string, string>;
  /** Texts of the footnotes and endnotes found so far. */
  readonly notes: string[];
}

/** Elements that are not visible at their position. */
const DROPPED = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'table-of-content',
  'alphabetical-index',
  'sequence-decls',
  'forms',
  'desc',
  'title',
  'event-listeners',
  'object',
  'image',
  'notes',
]);
/** Elements that contain blocks. */
const CONTAINERS = new Set([
  'text',
  'section',
  'text-box',
  'frame',
  'g',
  'custom-shape',
  'index-body',
  'numbered-paragraph',
  'list-header',
]);

/** The named parent of each automatic style. */
export const stylesOf = (root: HtmlNode): Map<string, string> =>
  new Map(
    [...elementsBelow(root, 'style')].flatMap(({ attribs }) => {
      const name = attribs['style:name'];
      const parent = attribs['style:parent-style-name'];
      return name === undefined || parent === undefined ? [] : [[name, parent] as const];
    }),
  );

/** Writes the blocks of an OpenDocument text below `root`. */
export function addOpenDocumentBlocks(builder: TextBuilder, root: HtmlNode, context: OpenDocumentContext): void {
  for (const child of childrenOf(root)) {
    if (!isElement(child)) continue;
    const name = localName(child.name);
    if (DROPPED.has(name)) continue;
    if (name === 'h' || name === 'p') addParagraph(builder, child, context);
    else if (name === 'list') builder.add('list', listLines(child, 0, context).join('\n'));
    else if (name === 'table') builder.add('table', gridTable(rowsOf(child, context)));
    else if (CONTAINERS.has(name)) addOpenDocumentBlocks(builder, child, context);
  }
}

function addParagraph(builder: TextBuilder, node: HtmlElement, context: OpenDocumentContext): void {
  const text = inlineText(node, context);
  const level = levelOf(node, context);
  if (level === undefined) builder.add('paragraph', text);
  else builder.add('heading', text.replace(/\s+/g, ' '), { level });
  for (const comment of commentsIn(node)) builder.add('paragraph', comment);
  // Text boxes are anchored in a paragraph.
  for (const frame of elementsBelow(node, 'text-box')) addOpenDocumentBlocks(builder, frame, context);
}

/** The comments of reviewers in a paragraph or cell. */
function commentsIn(node: HtmlNode): string[] {
  return [...elementsBelow(node, 'annotation')].flatMap((annotation) => {
    const textOf = (name: string) => oneLine(elementsOf(annotation, name).map(textBelow).join(' '));
    const text = cleanText(textOf('p'));
    return text === '' ? [] : [commentText(text, textOf('creator'))];
  });
}

function levelOf({ name, attribs }: HtmlElement, { styles }: OpenDocumentContext): number | undefined {
  if (localName(name) === 'h') return Math.min(6, Math.max(1, Number(attribs['text:outline-level'] ?? 1) || 1));
  const style = attribs['text:style-name'] ?? '';
  const named = (styles.get(style) ?? style).replaceAll('_20_', ' ');
  if (named === 'Title') return 1;
  const heading = /^Heading (\d)$/.exec(named)?.[1];
  return heading === undefined ? undefined : Math.min(6, Math.max(1, Number(heading)));
}

/** The text of a paragraph; its notes are collected in the context. */
export function inlineText(node: HtmlNode, context: OpenDocumentContext): string {
  const parts: string[] = [];
  const visit = (one: HtmlNode): void => {
    for (const child of childrenOf(one)) {
      if (child.type === 'text') parts.push(child.data.replace(/[ \t\r\n]+/g, ' '));
      if (!isElement(child)) continue;
      const name = localName(child.name);
      if (name === 's') parts.push(' '.repeat(Math.min(100, Number(child.attribs['text:c'] ?? 1) || 1)));
      else if (name === 'tab') parts.push('\t');
      else if (name === 'line-break') parts.push('\n');
      else if (name === 'note') addNote(child, context);
      else if (name !== 'text-box' && !DROPPED.has(name)) visit(child);
    }
  };
  visit(node);
  return cleanText(parts.join('')).trim();
}

function addNote(note: HtmlElement, context: OpenDocumentContext): void {
  const text = elementsOf(note, 'note-body')
    .map((body) => blockText(body, context))
    .join(' ');
  if (text !== '') context.notes.push(text);
}

/** All paragraphs below a node on one line. */
function blockText(node: HtmlNode, context: OpenDocumentContext): string {
  const parts: string[] = [];
  const visit = (one: HtmlNode): void => {
    for (const child of elementsOf(one)) {
      const name = localName(child.name);
      if (name === 'p' || name === 'h') parts.push(inlineText(child, context));
      else if (!DROPPED.has(name)) visit(child);
    }
  };
  visit(node);
  return oneLine(parts.join(' '));
}

function listLines(list: HtmlElement, depth: number, context: OpenDocumentContext): string[] {
  return elementsOf(list).flatMap((item) =>
    elementsOf(item).flatMap((child) => {
      const name = localName(child.name);
      if (name === 'list') return listLines(child, depth + 1, context);
      const text = name === 'p' || name === 'h' ? inlineText(child, context) : blockText(child, context);
      const line = [text.replace(/\s+/g, ' '), ...commentsIn(child)].join(' ').trim();
      return line === '' ? [] : [`${'  '.repeat(depth)}- ${line}`];
    }),
  );
}

const MAX_REPEATED = 200;

function rowsOf(table: HtmlElement, context: OpenDocumentContext): GridCell[][] {
  return elementsOf(table).flatMap((child) => {
    const name = localName(child.name);
    if (name === 'table-header-rows' || name === 'table-rows' || name === 'table-row-group')
      return rowsOf(child, context);
    if (name !== 'table-row') return [];
    const cells = elementsOf(child, 'table-cell').flatMap((cell): GridCell[] => {
      const one = {
        text: [blockText(cell, context), ...commentsIn(cell)].join(' ').trim(),
        columns: Number(cell.attribs['table:number-columns-spanned'] ?? 1),
        rows: Number(cell.attribs['table:number-rows-spanned'] ?? 1),
      };
      const repeated = Math.min(MAX_REPEATED, Number(cell.attribs['table:number-columns-repeated'] ?? 1) || 1);
      return Array<GridCell>(one.text === '' && repeated > 20 ? 1 : repeated).fill(one);
    });
    return [cells];
  });
}
