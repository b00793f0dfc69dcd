import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { addDirective } from './rst-directives.ts';
import { type Adorned, adornedAt } from './rst-headings.ts';
import { inlineRst } from './rst-inline.ts';
import { indentedEnd, indentOf, unindent } from './rst-lines.ts';
import { gridRows, isGridBorder, isSimpleBorder, rstTable, simpleRows } from './rst-tables.ts';

/** reStructuredText: sections by underlined titles, tables, lists, literal blocks and directives. */
export const rstReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const builder = createTextBuilder();
    const { title, metadata } = addRst(builder, decoded.text.replaceAll('\t', '        ').split('\n'));
    return { ...builder.finish(), ...(title !== undefined && { title }), metadata };
  },
};

interface RstHeader {
  readonly title?: string;
  readonly metadata: Metadata;
}

/** Writes the blocks of some lines. */
function addRst(builder: TextBuilder, lines: readonly string[]): RstHeader {
  const styles: string[] = [];
  const metadata: Record<string, string> = {};
  let title: string | undefined;
  let isBeginning = true;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at++;
      continue;
    }
    const adorned: Adorned | undefined = adornedAt(lines, at);
    if (adorned !== undefined) {
      const level = levelOf(adorned.style, styles);
      const text = inlineRst(adorned.title);
      builder.add('heading', text, { level });
      title ??= level === 1 ? text : undefined;
      at = adorned.next;
      continue;
    }
    if (/^([!-/:-@[-`{-~])\1{3,}\s*$/.test(line) && !isSimpleBorder(line)) {
      // A transition line.
      at++;
      continue;
    }
    if (/^\.\.(?:\s|$)/.test(line)) {
      at = addDirective(builder, lines, at, addRst);
      continue;
    }
    const end = isGridBorder(line) || isSimpleBorder(line) ? tableEnd(lines, at) : blockEnd(lines, at);
    const block = lines.slice(at, end);
    const fields = isBeginning && builder.length < MAX_BEFORE_FIELDS ? fieldsOf(block) : undefined;
    isBeginning = false;
    if (fields !== undefined) Object.assign(metadata, fields);
    if (isGridBorder(line)) builder.add('table', rstTable(gridRows(block)));
    else if (isSimpleBorder(line)) builder.add('table', rstTable(simpleRows(block)));
    else addBlock(builder, block);
    at = /::\s*$/.test(block.at(-1) ?? '') ? addLiteral(builder, lines, end) : end;
  }
  return { ...(title !== undefined && { title }), metadata };
}

const MAX_BEFORE_FIELDS = 300;

/** Titles with an overline are a different level than those without; levels are numbered by first occurrence. */
function levelOf(style: string, styles: string[]): number {
  const known = styles.indexOf(style);
  return Math.min(6, (known === -1 ? styles.push(style) - 1 : known) + 1);
}

function blockEnd(lines: readonly string[], at: number): number {
  let end = at;
  while (end < lines.length && (lines[end] ?? '').trim() !== '') {
    if (end > at && adornedAt(lines, end) !== undefined && indentOf(lines[at] ?? '') === 0) break;
    end++;
  }
  return end;
}

const MAX_TABLE_LINES = 5_000;

/** A simple table ends with the last border that a blank line follows. */
function tableEnd(lines: readonly string[], at: number): number {
  if (isGridBorder(lines[at] ?? '')) return blockEnd(lines, at);
  let borders = 1;
  for (let end = at + 1; end < Math.min(lines.length, at + MAX_TABLE_LINES); end++) {
    if (!isSimpleBorder(lines[end] ?? '')) continue;
    borders++;
    if (borders >= 2 && (lines[end + 1] ?? '').trim() === '') return end + 1;
  }
  return blockEnd(lines, at);
}

const LIST_ITEM = /^\s*(?:[-*+•]|(?:\d{1,5}|[a-zA-Z#]|[ivxlc]{1,6})[.)]|\((?:\d{1,5}|[a-z])\))\s+\S/;

function addBlock(builder: TextBuilder, block: readonly string[]): void {
  const [first = ''] = block;
  const text = block.map((line) => line.trimEnd()).join('\n');
  if (/^\s*>>>\s/.test(first)) builder.add('code', text);
  else if (LIST_ITEM.test(first)) builder.add('list', inlineRst(text));
  else if (/^\s*\|\s/.test(first)) builder.add('paragraph', inlineRst(text.replaceAll(/^\s*\| ?/gm, '')));
  else if (/^\s*:[^:\n]{1,100}:(?:\s|$)/.test(first))
    builder.add('list', inlineRst(text.replaceAll(/^(\s*):([^:\n]{1,100}):/gm, '$1$2:')));
  else {
    const shown = inlineRst(text.replace(/\s*::\s*$/, text.trim() === '::' ? '' : ':'));
    builder.add(indentOf(first) > 0 ? 'quote' : 'paragraph', shown.replaceAll(/^[ ]+/gm, ''));
  }
}

/** Indented text after `::` is code. */
function addLiteral(builder: TextBuilder, lines: readonly string[], at: number): number {
  let start = at;
  while (start < lines.length && (lines[start] ?? '').trim() === '') start++;
  if (start >= lines.length || indentOf(lines[start] ?? '') === 0) return at;
  const end = indentedEnd(lines, start, 1);
  builder.add('code', unindent(lines.slice(start, end)).join('\n'));
  return end;
}

const BIBLIOGRAPHIC = new Set('author authors date version copyright organization contact status'.split(' '));

/** Fields directly below the title are document metadata. */
function fieldsOf(block: readonly string[]): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  for (const line of block) {
    const [, name = '', value = ''] = /^:([^:]{1,40}):\s+(.*)$/.exec(line) ?? [];
    if (BIBLIOGRAPHIC.has(name.toLowerCase()) && value !== '') fields[name.toLowerCase()] = inlineRst(value.trim());
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}
