import { oneLine } from '../../../shared/text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import type { ManLayout } from './man-layout.ts';
import type { RoffLine } from './roff-lines.ts';

/** Adds the table of `.TS`, up to `.TE`; with a header when its first row has a format of its own. */
export function addManTable(
  layout: ManLayout,
  lines: Generator<RoffLine>,
  textOf: (line: RoffLine) => string | undefined,
): void {
  const rows: string[][] = [];
  let separator = '\t';
  let formats = 0;
  let isFormat = true;
  let block: string[] | undefined;
  for (let next = lines.next(); !next.done && next.value.name !== 'TE'; next = lines.next()) {
    const { name, rest } = next.value;
    if (name === 'T&') isFormat = true;
    else if (isFormat) {
      const tab = /\btab\s{0,9}\(?\s{0,9}(.)\s{0,9}\)/.exec(rest)?.[1];
      if (/;\s*$/.test(rest)) separator = tab ?? separator;
      else {
        formats++;
        isFormat = !/\.\s*$/.test(rest);
      }
    } else if (block !== undefined && name === undefined && rest.startsWith('T}')) {
      const [, ...cells] = rest.split(separator);
      rows.at(-1)?.push(oneLine(block.join(' ')));
      block = addCells(rows.at(-1) ?? [], cells, textOf);
    } else if (block !== undefined) block.push(textOf(next.value) ?? '');
    else if (name === undefined && !/^[_=\s]*$/.test(rest)) {
      const row: string[] = [];
      rows.push(row);
      block = addCells(row, rest.split(separator), textOf);
    }
  }
  if (block !== undefined) rows.at(-1)?.push(oneLine(block.join(' ')));
  const [header, ...body] = rows.filter((row) => row.some((cell) => cell !== ''));
  if (header === undefined) return;
  if (formats > 1 && body.length > 0) layout.flush().add('table', markdownTable(header, body));
  else layout.flush().add('list', [header, ...body].map((row) => row.join(' | ')).join('\n'));
}

/** Adds cells to a row; returns the lines of the last one when it goes on below. */
function addCells(
  row: string[],
  cells: readonly string[],
  textOf: (line: RoffLine) => string | undefined,
): string[] | undefined {
  const goesOn = cells.at(-1)?.trim() === 'T{';
  for (const cell of goesOn ? cells.slice(0, -1) : cells) row.push(oneLine(textOf({ rest: cell }) ?? ''));
  return goesOn ? [] : undefined;
}
