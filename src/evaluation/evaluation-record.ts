import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { verdicts } from '../citations/verdict.ts';
import { ServiceError } from '../errors.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import { answersFrom } from './answers-from.ts';
import type { QuestionResult } from './evaluate-questions.ts';
import { scoreNames } from './scores.ts';

const scores = z.partialRecord(z.enum(scoreNames), z.number());
const verdictCounts = z.partialRecord(z.enum(verdicts), z.number());

const questionRecord = z
  .object({
    id: z.string(),
    line: z.number(),
    question: z.string(),
    unanswerable: z.boolean(),
    scores,
    rank: z.number().nullable(),
    found: z.array(z.string()),
    milliseconds: z.number(),
    answer: z.object({ text: z.string(), refused: z.boolean(), verdicts: verdictCounts }).optional(),
    failure: z.string().optional(),
  })
  .transform(({ question, unanswerable, answer, failure, ...rest }): QuestionResult => {
    const given = answer && { text: answer.text, isRefused: answer.refused, verdicts: answer.verdicts };
    return {
      ...rest,
      text: question,
      isUnanswerable: unanswerable,
      ...(given && { answer: given }),
      ...(failure !== undefined && { failure }),
    };
  });

const setup = z.object({
  mode: z.string(),
  limit: z.number(),
  filters: z.record(z.string(), z.unknown()),
  as_of: z.string().nullable(),
  answers: z.enum(answersFrom),
  model: z.string().nullable(),
  embedder: z.string(),
  version: z.string(),
  documents: z.number(),
  chunks: z.number(),
});

const evaluationRecord = z.object({
  started_at: z.string(),
  ended_at: z.string(),
  /** False for an interrupted evaluation, in which the remaining questions were not asked. */
  is_whole: z.boolean(),
  questions_file: z.string(),
  questions_in_file: z.number(),
  setup,
  means: scores,
  questions: z.array(questionRecord),
});

/** Configuration of an evaluation, which must be equal for two evaluations to be comparable. */
export type EvaluationSetup = Readonly<z.output<typeof setup>>;
export type EvaluationRecord = Readonly<z.output<typeof evaluationRecord>>;

/** Converts the record to its file format. */
export function toWire({ questions, ...rest }: EvaluationRecord) {
  return {
    ...rest,
    questions: questions.map(({ text, isUnanswerable, answer, ...each }) => ({
      ...each,
      question: text,
      unanswerable: isUnanswerable,
      ...(answer && { answer: { text: answer.text, refused: answer.isRefused, verdicts: answer.verdicts } }),
    })),
  };
}

/** The folder of evaluations within a data folder. */
export const evaluationFolder = (dataFolder: string): string => join(dataFolder, 'evaluations');

/** Path of the file for the evaluation started at that time. */
export const evaluationFile = (dataFolder: string, startedAt: string): string =>
  join(evaluationFolder(dataFolder), `${startedAt.replaceAll(':', '-')}.json`);

/** Writes an evaluation as a file that only its owner can read; no partial one is left. */
export async function writeEvaluation(file: string, dataFolder: string, record: EvaluationRecord): Promise<void> {
  await mkdir(evaluationFolder(dataFolder), { recursive: true, mode: 0o700 });
  await writeWholeFile(file, `${JSON.stringify(toWire(record), null, 1)}\n`);
}

/** Throws `invalid_request` when the file is not an evaluation. */
export async function readEvaluation(file: string): Promise<EvaluationRecord> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ServiceError('invalid_request', `The evaluation ${file} cannot be read.`, { cause: error });
  }
  try {
    return evaluationRecord.parse(JSON.parse(text));
  } catch (error) {
    throw new ServiceError('invalid_request', `${file} is not an evaluation file.`, { cause: error });
  }
}

/** Minimum share of the questions that an earlier run must have in common to be compared. */
const MIN_SHARED = 0.5;

/** Whether an earlier evaluation can be compared with one of these questions: it has at least half of them. */
export function isComparable({ questions }: EvaluationRecord, ids: ReadonlySet<string>): boolean {
  const shared = questions.filter(({ id }) => ids.has(id)).length;
  return shared > 0 && shared >= MIN_SHARED * ids.size;
}

/** The latest evaluation of these questions, or of most of them; other files are skipped. */
export async function lastEvaluation(
  dataFolder: string,
  ids: ReadonlySet<string>,
): Promise<EvaluationRecord | undefined> {
  const names = await readdir(evaluationFolder(dataFolder)).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.json')).toSorted((one, two) => (one < two ? 1 : -1))) {
    const record = await readEvaluation(join(evaluationFolder(dataFolder), name)).catch(() => undefined);
    if (record !== undefined && isComparable(record, ids)) return record;
  }
  return undefined;
}

/** Differences between the configurations of two evaluations, as `member: before → now`. */
export function setupChanges(before: EvaluationSetup, now: EvaluationSetup): string[] {
  const names = Object.keys(now) as (keyof EvaluationSetup)[];
  return names.flatMap((name) => {
    const [then, later] = [JSON.stringify(before[name]), JSON.stringify(now[name])];
    return then === later ? [] : [`${name}: ${then} → ${later}`];
  });
}
