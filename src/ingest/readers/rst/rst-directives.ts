import { CsvError, parse } from 'csv-parse/sync';
import type { TextBuilder } from '../build-text.ts';
import { inlineRst } from './rst-inline.ts';
import { indentedEnd, unindent } from './rst-lines.ts';
import { rstTable } from './rst-tables.ts';

/** Writes the blocks of a directive's lines. */
type AddLines = (builder: TextBuilder, lines: readonly string[]) => unknown;

const CODE = new Set(
  'code code-block sourcecode literalinclude parsed-literal math doctest testcode prompt highlight'.split(' '),
);
/** Directives for settings, external code and print-only content. */
const DROPPED = new Set(
  'contents toctree raw include meta index role default-role sectnum header footer target-notes image class currentmodule module only-latex tabularcolumns'.split(
    ' ',
  ),
);
const MAX_DEPTH = 20;

/**
 * Writes the construct that begins with `..` at a line: a directive, a note, or a comment, which is left out. Returns
 * the next line.
 */
export function addDirective(builder: TextBuilder, lines: readonly string[], at: number, addLines: AddLines): number {
  const line = lines[at] ?? '';
  const end = Math.max(at + 1, indentedEnd(lines, at + 1, 1));
  const [, name, argument = ''] = /^\.\.\s+(?:\|[^|]{1,100}\|\s+)?([\w:.-]{1,60}?)\s?::(?:\s+(.*))?$/.exec(line) ?? [];
  if (name === undefined) {
    const note = /^\.\.\s+\[([^\]]{1,60})\]\s+(\S.*)$/.exec(line);
    if (note !== null) {
      const rest = lines.slice(at + 1, end).map((one) => one.trim());
      builder.add('paragraph', inlineRst([`[${note[1]}] ${note[2]}`, ...rest].join(' ').trim()));
    }
    return end;
  }
  const content = unindent(lines.slice(at + 1, end));
  const optionsEnd = content.findIndex((one) => !/^:[\w-]{1,60}:(?:\s|$)/.test(one) && !/^\s+\S/.test(one));
  const options = optionsEnd === -1 ? content : content.slice(0, optionsEnd);
  const body = optionsEnd === -1 ? [] : content.slice(optionsEnd);
  addNamed(
    builder,
    { name: name.toLowerCase().replace(/^.*:/, ''), argument: argument.trim(), options, body },
    addLines,
  );
  return end;
}

interface Directive {
  readonly name: string;
  readonly argument: string;
  readonly options: readonly string[];
  readonly body: readonly string[];
}

function addNamed(builder: TextBuilder, { name, argument, options, body }: Directive, addLines: AddLines): void {
  const alternative = options
    .find((one) => one.startsWith(':alt:'))
    ?.slice(5)
    .trim();
  if (CODE.has(name)) builder.add('code', body.join('\n'));
  else if (name === 'image' && alternative !== undefined) builder.add('paragraph', alternative);
  else if (DROPPED.has(name)) return;
  else if (name === 'csv-table') {
    builder.add('paragraph', inlineRst(argument));
    builder.add('table', rstTable(csvRows(options, body)));
  } else if (name === 'list-table') {
    builder.add('paragraph', inlineRst(argument));
    builder.add('table', rstTable(listRows(body)));
  } else {
    if (name === 'figure' && alternative !== undefined) builder.add('paragraph', alternative);
    else if (name !== 'figure') builder.add('paragraph', inlineRst(argument));
    // Each level recurses once; text nested too deeply is kept as is.
    const depth = /^ */.exec(body.at(-1) ?? '')?.[0].length ?? 0;
    if (depth < MAX_DEPTH * 3) addLines(builder, body);
    else builder.add('paragraph', body.join('\n'));
  }
}

function csvRows(options: readonly string[], body: readonly string[]): string[][] {
  const option = (name: string) =>
    options
      .find((one) => one.startsWith(`:${name}:`))
      ?.slice(name.length + 2)
      .trim();
  const header = option('header');
  const delimiter = option('delim');
  const quote = option('quote');
  try {
    return parse([...(header === undefined ? [] : [header]), ...body].join('\n'), {
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      ...(delimiter !== undefined && delimiter.length === 1 && { delimiter }),
      ...(quote !== undefined && quote.length === 1 && quote.charCodeAt(0) < 0x80 && { quote }),
    });
  } catch (error) {
    if (error instanceof CsvError) return body.map((line) => line.split(','));
    throw error;
  }
}

/** `* - first cell` begins a row, `- next cell` continues it. */
function listRows(body: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const line of body) {
    const [, row, cell = ''] = /^\s*(\*\s+)?-(?:\s+(.*))?$/.exec(line) ?? [];
    const last = rows.at(-1);
    if (row !== undefined) rows.push([cell]);
    else if (/^\s*-(?:\s|$)/.test(line)) last?.push(cell);
    else if (last !== undefined && line.trim() !== '') last[last.length - 1] = `${last.at(-1) ?? ''} ${line.trim()}`;
  }
  return rows;
}
