import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { readLines } from '../../src/evaluation/read-lines.ts';
import { cleanText } from '../../src/ingest/readers/encoding/clean-text.ts';
import { readDocument } from '../../src/ingest/readers/index.ts';

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

const QUESTIONS = 'questions_df.csv';
const reference = z.object({ content: z.string() });

/** Metadata fields that name the source document of a row. */
const WHOLE = ['article', 'path', 'document', 'url'] as const;
/** A longer relevant piece does not locate the answer. */
const MAX_PIECE_LENGTH = 1_500;
const JOINT = '\n\n';

/**
 * Reads a folder with `questions_df.csv` and its documents, as in Chroma's chunking_evaluation. Columns: `question`,
 * `references` (with the text that answers it) and `corpus_id`, the name of a Markdown file in the folder or its
 * subfolder `corpora`.
 */
async function readChromaCollection(folder: string): Promise<RangeCollection> {
  const rows = z
    .array(z.object({ question: z.string(), references: z.string(), corpus_id: z.string() }))
    .parse(parse(await readFile(join(folder, QUESTIONS), 'utf8'), { columns: true }));
  const documents = new Map<string, string>();
  for (const document of new Set(rows.map((each) => each.corpus_id))) {
    const inFolder = join(folder, 'corpora', `${document}.md`);
    const file = existsSync(inFolder) ? inFolder : join(folder, `${document}.md`);
    const bytes = await readFile(file);
    const { signal } = new AbortController();
    documents.set(document, (await readDocument('txt', { bytes, fileName: basename(file), signal })).text);
  }
  const queries = rows.map(({ question, references, corpus_id: document }) => {
    const text = documents.get(document) ?? '';
    const ranges = z
      .array(reference)
      .parse(JSON.parse(references))
      .map(({ content }) => {
        // The reader may have cleaned up the text, so the recorded positions need not be valid.
        const start = text.indexOf(cleanText(content));
        if (start < 0) throw new Error(`${document} does not hold the reference "${content}".`);
        return { document, start, end: start + cleanText(content).length };
      });
    return { text: question, ranges };
  });
  return { name: basename(folder), documents, queries, by: 'references' };
}

/** Reads a folder of Chroma's chunking_evaluation if it has its questions file, otherwise a BEIR folder. */
export const readRangeCollection = (folder: string): Promise<RangeCollection> =>
  existsSync(join(folder, QUESTIONS)) ? readChromaCollection(folder) : readBeirCollection(folder);

/**
 * Reads a BEIR folder whose rows are pieces of documents, and reassembles the documents. The expected ranges of a
 * question are the sentences around its answer in the relevant pieces or, if the collection gives no answer, the short
 * relevant pieces. Questions without an expected range are skipped.
 */
async function readBeirCollection(folder: string): Promise<RangeCollection> {
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
