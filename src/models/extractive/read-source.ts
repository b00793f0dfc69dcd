import type { Span } from '../../citations/citation.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { splitSentences } from '../../documents/sentences.ts';
import { type TableRow, tableRowsOf } from './table-rows.ts';

/** Text of a source from which quotes are chosen. */
export interface SourceText {
  readonly text: string;
  /** Title and headings: terms that describe the source without being part of it. */
  readonly about: string;
  /** Rank in the search results, from 0; defaults to the position in the list. */
  readonly rank?: number;
  /** BM25 sum of the full-text search that found it. */
  readonly score?: number;
}

export interface ReadSentence extends Span {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** A heading introduces text but states nothing itself. */
  readonly isHeading: boolean;
  /** `context`: terms of the column names and of the line above the table; they apply to each row. */
  readonly row?: TableRow & { readonly context: ReadonlySet<string> };
}

export interface ReadSource {
  readonly rank: number;
  readonly score: number | undefined;
  readonly about: ReadonlySet<string>;
  readonly sentences: readonly ReadSentence[];
}

export function readSource(
  { text, about, rank, score }: SourceText,
  index: number,
  analyser: TextAnalyser,
): ReadSource {
  const headings = new Set(about.split('\n').map(asHeading));
  const pieces = piecesOf(text);
  const rows = tableRowsOf(text, pieces, columnsIn(about));
  let above = '';
  const sentences = pieces.map(({ start, end }, index): ReadSentence => {
    const sentence = text.slice(start, end);
    const row = rows[index];
    if (row === undefined) above = sentence;
    const isHeading = row === 'header' || MARKED_HEADING.test(sentence) || headings.has(asHeading(sentence));
    const read = { start, end, text: sentence, terms: new Set(analyser.analyseQuery(sentence)), isHeading };
    if (row === undefined || row === 'header') return read;
    const context = new Set(analyser.analyseQuery([above, row.unit, ...row.header].join('\n')));
    return { ...read, row: { ...row, context } };
  });
  return { rank: rank ?? index, score, about: new Set(analyser.analyseQuery(about)), sentences };
}

/** In a later part of a table, the last heading consists of the column names; empty otherwise. */
function columnsIn(about: string): readonly string[] {
  const names = about.slice(about.lastIndexOf('\n') + 1).split(' | ');
  return names.length > 1 ? names : [];
}

// In scripts without full stops a space ends a clause; clauses are joined, because one alone seldom names its subject.
const MAX_CLAUSES_LENGTH = 180;
const WITHOUT_FULL_STOPS = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

function piecesOf(text: string): Span[] {
  const sentences = splitSentences(text);
  if (!WITHOUT_FULL_STOPS.test(text)) return sentences;
  const pieces: Span[] = [];
  for (const { start, end } of sentences) {
    const last = pieces.at(-1);
    const isFull = last === undefined || last.end - last.start >= MAX_CLAUSES_LENGTH;
    if (isFull || text.slice(last.end, start).includes('\n')) pieces.push({ start, end });
    else pieces[pieces.length - 1] = { start: last.start, end };
  }
  return pieces;
}

const MARKED_HEADING = /^#{1,6}\s/;

const asHeading = (line: string): string =>
  line
    .replace(/^[#\s]+|[#\s]+$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
