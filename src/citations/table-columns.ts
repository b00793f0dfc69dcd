import type { SourceSentence } from './source-sentences.ts';
import type { TextAnalyser } from './text-analyser.ts';
import type { Unit } from './words.ts';

const cellsOf = (row: string): string[] =>
  row.includes('|')
    ? row
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
    : row.split('\t');

/**
 * Whether a number of a row stands in a column that the statement names. Also if the statement names none, or the names of the
 * columns are not known.
 */
export function isInNamedColumn(
  digits: string,
  { text, header }: Pick<SourceSentence, 'text' | 'header'>,
  { units, analyser }: { readonly units: readonly Unit[]; readonly analyser: TextAnalyser },
): boolean {
  if (header === undefined) return true;
  const stated = new Set(units.flatMap(({ terms }) => terms));
  const names = cellsOf(header).map((name) => analyser.analyse(name));
  const isNamed = (column: number) => names[column]?.some((term) => stated.has(term)) === true;
  const places = cellsOf(text).flatMap((cell, column) => (cell.includes(digits) ? [column] : []));
  // The first column has the names of the rows.
  return places.length === 0 || places.some(isNamed) || !names.some((_, column) => column > 0 && isNamed(column));
}
