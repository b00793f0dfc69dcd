import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { explainIssue } from '../shared/explain-issue.ts';
import { misspelledName } from '../shared/nearest-name.ts';
import { Problems, parseLine } from './problems.ts';
import { type Line, readLines } from './read-lines.ts';

/** A question with the expected documents, texts and answers. */
export interface Question {
  /** Derived from the question and its expectations, so that an edited question counts as a new one. */
  readonly id: string;
  readonly line: number;
  readonly text: string;
  /** Documents as named in the file: identifier, title, file name or source. */
  readonly documents: readonly string[];
  /** Texts that a retrieved chunk must contain. */
  readonly passages: readonly string[];
  /** A correct answer contains any of these. */
  readonly answers: readonly string[];
  /** The corpus does not answer the question. */
  readonly isUnanswerable: boolean;
}

const text = z.string().trim().min(1);
const texts = z
  .union([text, z.array(text)])
  .nullish()
  .transform((value) => (value === undefined || value === null ? [] : [value].flat()));

const members = {
  question: text,
  document: texts,
  passage: texts,
  answer: texts,
  unanswerable: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  /** Comment for readers of the file. */
  note: z.string().nullish(),
};
const memberNames = Object.keys(members);
const questionLine = z.object(members).superRefine((line, context) => {
  const isExpecting = line.document.length + line.passage.length + line.answer.length > 0;
  if (line.unanswerable && isExpecting) context.addIssue('what is unanswerable has no document, passage or answer.');
  if (!line.unanswerable && !isExpecting) {
    context.addIssue('say what is expected: "document", "passage", "answer" or "unanswerable": true.');
  }
});

/**
 * Reads questions from JSON Lines, or from a CSV file with a header row; a cell with a JSON list holds several values.
 * Throws `invalid_request` listing every invalid line.
 */
export async function readQuestions(path: string): Promise<readonly Question[]> {
  const problems = new Problems(path);
  const rows = extname(path).toLowerCase() === '.csv' ? await csvRows(path, problems) : await jsonRows(path, problems);
  const questions: Question[] = [];
  const lines = new Map<string, number>();
  for (const { number, value } of rows) {
    const question = toQuestion(number, value, problems);
    if (question === undefined) continue;
    const duplicate = lines.get(question.id);
    if (duplicate !== undefined) problems.add(number, `This is the question of line ${duplicate} once more.`);
    lines.set(question.id, number);
    questions.push(question);
  }
  if (rows.length === 0 && problems.isEmpty) problems.add(1, 'There are no questions here.');
  problems.throwIfAny();
  return questions;
}

interface Row {
  readonly number: number;
  readonly value: unknown;
}

async function jsonRows(path: string, problems: Problems): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { number, text: line } of readLines(path)) {
    const parsed = parseLine(line);
    if ('problem' in parsed) problems.add(number, parsed.problem);
    else rows.push({ number, value: parsed.value });
  }
  return rows;
}

const csvRecords = z.array(
  z.object({ info: z.object({ lines: z.number() }), record: z.record(z.string(), z.string()) }),
);

async function csvRows(path: string, problems: Problems): Promise<readonly Row[]> {
  const lines = await Array.fromAsync(readLines(path));
  try {
    // Blank lines are kept, so that line numbers match the file.
    const content = withBlankLines(lines);
    const columns = (names: string[]) => names.map((name) => name.trim().toLowerCase());
    const records = csvRecords.parse(parse(content, { columns, info: true, skip_empty_lines: true, trim: true }));
    return records.map(({ info, record }) => ({ number: info.lines, value: fromCells(record) }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add(Number(error['lines'] ?? 1), `This is not CSV (${error.message}).`);
    return [];
  }
}

function withBlankLines(lines: readonly Line[]): string {
  const all: string[] = [];
  for (const { number, text: line } of lines) all[number - 1] = line;
  return Array.from(all, (line) => line ?? '').join('\n');
}

function fromCells(record: Readonly<Record<string, string>>): Record<string, unknown> {
  const filled = Object.entries(record).filter(([, cell]) => cell !== '');
  return Object.fromEntries(filled.map(([name, cell]) => [name, name === 'unanswerable' ? yesOrNo(cell) : list(cell)]));
}

function list(cell: string): unknown {
  if (!cell.startsWith('[')) return cell;
  const parsed = parseLine(cell);
  return 'value' in parsed ? parsed.value : cell;
}

function yesOrNo(cell: string): unknown {
  const word = cell.toLowerCase();
  if (['true', 'yes', '1', 'x'].includes(word)) return true;
  return ['false', 'no', '0'].includes(word) ? false : cell;
}

function toQuestion(line: number, value: unknown, problems: Problems): Question | undefined {
  const read = questionLine.safeParse(value, { error: explainIssue });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // A misspelt member would be ignored silently, and the question scored by less than intended.
    for (const name of Object.keys(value).filter((each) => !memberNames.includes(each))) {
      const meant = misspelledName(name, memberNames);
      const hint = meant === undefined ? `known are ${memberNames.join(', ')}.` : `did you mean "${meant}"?`;
      problems.add(line, `"${name}" is not known; ${hint}`);
    }
  }
  if (!read.success) {
    for (const { path, message } of read.error.issues) problems.add(line, [...path.map(String), message].join(': '));
    return undefined;
  }
  const { question, document, passage, answer, unanswerable } = read.data;
  return {
    id: idOf([question, document.toSorted(), passage.toSorted(), answer.toSorted(), unanswerable]),
    line,
    text: question,
    documents: document,
    passages: passage,
    answers: answer,
    isUnanswerable: unanswerable,
  };
}

const idOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
