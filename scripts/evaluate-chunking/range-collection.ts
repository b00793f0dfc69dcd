import { basename, join } from 'node:path';
import { z } from 'zod';
import { readLines } from '../../src/evaluation/read-lines.ts';

export interface Range {
  readonly document: string;
  readonly start: number;
  readonly end: number;
}

/** Whole documents, and questions with the character ranges that answer them. */
export interface RangeCollection {
  readonly name: string;
  readonly documents: ReadonlyMap<string, string>;
  readonly queries: readonly { readonly text: string; readonly ranges: readonly Range[] }[];
  /** How the ranges were determined. */
  readonly by: string;
}

const row = z.object({
  id: z.string(),
  title: z.string().default(''),
  text: z.string(),
  metadata: z.record(z.string(), z.json()).default({}),
});
const asked = z.object({ id: z.string(), text: z.string(), answer: z.string().optional() });

/** Metadata fields that name the source document of a row. */
const WHOLE = ['article', 'path', 'document', 'url'] as const;
/** A longer relevant piece does not locate the answer. */
const MAX_PIECE_LENGTH = 1_500;
const JOINT = '\n\n';

/**
 * Reads a BEIR folder whose rows are pieces of documents, and reassembles the documents. If a relevant piece contains a
 * question's answer verbatim, the sentences around it are the expected range; otherwise short relevant pieces are, and
 * questions with only long ones are skipped.
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
