import type { Span } from '../../citations/citation.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { splitSentences } from '../../documents/sentences.ts';
import { labelledLines } from './labelled-lines.ts';
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
  /** For a label with its value, in a list of such lines, the position of the first line of its record. */
  readonly record: number | undefined;
  /** `context`: terms of the column names and of the line above the table; they apply to each row. */
  readonly row?: TableRow & { readonly context: ReadonlySet<string> };
}

export interface ReadSource {
  readonly rank: number;
  readonly score: number | undefined;
  readonly about: ReadonlySet<string>;
  /** Terms of the last heading above the text. */
  readonly subject: ReadonlySet<string>;
  readonly sentences: readonly ReadSentence[];
}

export function readSource(
  { text, about, rank, score }: SourceText,
  index: number,
  analyser: TextAnalyser,
): ReadSource {
  const headings = new Set(about.split('\n').map(asHeading));
  const pieces = piecesOf(text);
  const records = labelledLines(text, pieces);
  const rows = tableRowsOf(text, pieces, columnsIn(about));
  let above = '';
  const sentences = pieces.map(({ start, end }, index): ReadSentence => {
    const sentence = text.slice(start, end);
    const row = rows[index];
    if (row === undefined) above = sentence;
    const isMarked = MARKED_HEADING.test(sentence) || (NUMBERED_HEADING.test(sentence) && isApart(text, start, end));
    const isNamed = headings.has(asHeading(sentence)) || headings.has(asHeading(lineAt(text, start, end)));
    const isHeading = row === 'header' || isMarked || CONTENTS.test(sentence) || isNamed;
    const terms = new Set(analyser.analyseQuery(sentence));
    const read = { start, end, text: sentence, terms, isHeading, record: records[index] };
    if (row === undefined || row === 'header') return read;
    const context = new Set(analyser.analyseQuery([above, row.unit, ...row.header].join('\n')));
    return { ...read, row: { ...row, context } };
  });
  const subject = new Set(analyser.analyseQuery(lastHeadingOf(about)));
  return { rank: rank ?? index, score, about: new Set(analyser.analyseQuery(about)), subject, sentences };
}

const lastHeadingOf = (about: string): string => about.slice(about.lastIndexOf('\n') + 1);

/** In a later part of a table, the last heading consists of the column names; empty otherwise. */
function columnsIn(about: string): readonly string[] {
  const names = lastHeadingOf(about).split(' | ');
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
/** An entry of a table of contents, with its page. */
const CONTENTS = /\s…\s\d{1,4}(?:\s|$)/;
/** "3. Configuration", which as a paragraph of its own is no list item. */
const NUMBERED_HEADING = /^\d{1,2}(?:\.\d{1,2})*\.?\s+\p{Lu}[^.!?:;|]{0,60}$/u;
const isApart = (text: string, start: number, end: number): boolean =>
  /(?:^|\n\s*\n)$/.test(text.slice(Math.max(0, start - 4), start)) && /^\s*\n\s*\n/.test(text.slice(end, end + 4));

/** Longer lines are no headings. */
const MAX_HEADING = 300;

/** The line in which a piece stands: a heading such as "Spyware? Viruses?" consists of several. */
function lineAt(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - MAX_HEADING), start);
  const after = text.slice(end, end + MAX_HEADING);
  return `${before.slice(before.lastIndexOf('\n') + 1)}${text.slice(start, end)}${/^[^\n]*/.exec(after)?.[0] ?? ''}`;
}

const asHeading = (line: string): string =>
  line
    .replace(/^[#\s]+|[#\s]+$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
