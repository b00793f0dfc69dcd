import { basename, join } from 'node:path';
import { z } from 'zod';
import { readLines } from '../../src/evaluation/read-lines.ts';

export interface Range {
  readonly document: string;
  readonly start: number;
  readonly end: number;
}

/** Whole documents, and questions with the stretches of them that answer. */
export interface RangeCollection {
  readonly name: string;
  readonly documents: ReadonlyMap<string, string>;
  readonly queries: readonly { readonly text: string; readonly ranges: readonly Range[] }[];
  /** How the ranges were had. */
  readonly by: string;
}

const row = z.object({
  id: z.string(),
  title: z.string().default(''),
  text: z.string(),
  metadata: z.record(z.string(), z.json()).default({}),
});
const asked = z.object({ id: z.string(), text: z.string(), answer: z.string().optional() });

/** Members of a row's metadata that name the document it is a piece of. */
const WHOLE = ['article', 'path', 'document', 'url'] as const;
/** A relevant piece longer than this says nothing of where the answer stands. */
const MAX_PIECE_LENGTH = 1_500;
const JOINT = '\n\n';

/**
 * Reads a folder in BEIR's form whose rows are pieces of documents, and puts the documents together again. A question
 * with an answer that stands word for word in a relevant piece is answered by the sentences around it; one without is
 * answered by its relevant pieces where they are short, and left out where they are long.
 */
export async function readRangeCollection(folder: string): Promise<RangeCollection> {
  const documents = new Map<string, string>();
  const pieces = new Map<string, Range & { readonly text: string }>();
  for await (const { text: line } of readLines(join(folder, 'corpus.jsonl'))) {
    const { id, text, metadata } = row.parse(JSON.parse(line));
    const named = WHOLE.map((member) => metadata[member]).find((name) => typeof name === 'string');
    const document = typeof named === 'string' ? named : 'all';
    const before = documents.get(document);
    const start = before === undefined ? 0 : before.length + JOINT.length;
    documents.set(document, before === undefined ? text : before + JOINT + text);
    pieces.set(id, { document, start, end: start + text.length, text });
  }
  const relevant = new Map<string, string[]>();
  for await (const { text: line } of readLines(join(folder, 'qrels.tsv'))) {
    const [query = '', piece = '', score = ''] = line.split('\t');
    if (Number(score) > 0) relevant.set(query, [...(relevant.get(query) ?? []), piece]);
  }
  let byAnswer = 0;
  const queries: { text: string; ranges: Range[] }[] = [];
  for await (const { text: line } of readLines(join(folder, 'queries.jsonl'))) {
    const { id, text, answer } = asked.parse(JSON.parse(line));
    const found = (relevant.get(id) ?? []).flatMap((piece) => pieces.get(piece) ?? []);
    const around =
      answer === undefined || answer === '' ? [] : found.flatMap((piece) => sentencesAround(piece, answer));
    if (around.length > 0) byAnswer++;
    const whole = found.filter((piece) => piece.text.length <= MAX_PIECE_LENGTH).map(({ text: _, ...range }) => range);
    const ranges = around.length > 0 ? around : answer === undefined ? whole : [];
    if (ranges.length > 0) queries.push({ text, ranges });
  }
  const by = byAnswer > queries.length / 2 ? 'sentences around the answer' : 'relevant pieces';
  return { name: basename(folder), documents, queries, by };
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesAround({ document, start, text }: Range & { readonly text: string }, answer: string): Range[] {
  const at = text.indexOf(answer);
  if (at < 0) return [];
  const touched = [...sentences.segment(text)].filter(
    ({ index, segment }) => index < at + answer.length && index + segment.length > at,
  );
  const first = touched[0];
  const last = touched.at(-1);
  if (first === undefined || last === undefined) return [];
  const end = last.index + last.segment.trimEnd().length;
  return [{ document, start: start + first.index, end: start + end }];
}
