import { resolve } from 'node:path';
import type { Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { AnswersFrom } from '../evaluation/answers-from.ts';
import { significantLosses } from '../evaluation/compare-runs.ts';
import { evaluateQuestion, type QuestionResult } from '../evaluation/evaluate-questions.ts';
import {
  type EvaluationRecord,
  type EvaluationSetup,
  evaluationFile,
  lastEvaluation,
  readEvaluation,
  toWire,
  writeEvaluation,
} from '../evaluation/evaluation-record.ts';
import { differenceLines, problemLines, scoreTable } from '../evaluation/evaluation-report.ts';
import { type Question, readQuestions } from '../evaluation/questions.ts';
import { type ResolvedQuestion, resolveDocuments } from '../evaluation/resolve-documents.ts';
import { meanScores, type ScoreName } from '../evaluation/scores.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { mapConcurrently } from '../shared/map-concurrently.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { namedDocuments, toEvaluated } from './evaluated-client.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { visible } from './layout.ts';
import type { Output } from './output.ts';
import { progressLine } from './progress-line.ts';
import type { SearchMode } from './search-query.ts';
import { withClient } from './with-client.ts';

export interface EvalOptions {
  readonly limit: number;
  readonly filter?: { readonly [key: string]: Json };
  readonly asOf?: string;
  readonly mode?: SearchMode;
  readonly answers?: AnswersFrom;
  readonly model?: string;
  /** False for `--no-baseline`. */
  readonly baseline?: string | false;
  readonly failOnLoss?: boolean;
  readonly failBelow?: Readonly<Partial<Record<ScoreName, number>>>;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Concurrent questions: a model may take a minute for one. */
const CONCURRENCY = 4;
const SAVE_INTERVAL_MS = 5_000;

/**
 * `citewell eval`: measures how well users' own questions are answered from their own documents, and what has changed
 * since the last run.
 */
export async function evaluate(path: string, options: EvalOptions, context: CommandContext): Promise<ExitCode> {
  const questions = await readQuestions(resolve(path));
  const { dataDir } = await context.config();
  const before = await baselineOf(options, dataDir, questions);
  context.interruption.finishFirst();
  return withClient(context, async (client) => {
    const resolved = await resolveDocuments(questions, path, namedDocuments(client));
    const setup = await setupOf(client, options);
    if (options.answers === undefined && setup.answers === 'none' && !options.json) {
      context.output.note(
        `Only search is evaluated: answers by ${setup.model ?? 'a model'} cost money; --answers rag includes them.`,
      );
    }
    const run = { path: resolve(path), dataDir, setup, options };
    const { record, file } = await askAll(resolved, run, { client, context });
    return report(record, { file, before, options, output: context.output, isStopped: !record.is_whole });
  });
}

/** The evaluation with which the run is compared. */
async function baselineOf({ baseline }: EvalOptions, dataDir: string, questions: readonly Question[]) {
  if (baseline === false) return undefined;
  if (baseline !== undefined) return readEvaluation(resolve(baseline));
  return lastEvaluation(dataDir, new Set(questions.map(({ id }) => id)));
}

async function setupOf(client: Client, options: EvalOptions): Promise<EvaluationSetup> {
  const { version, model: defaultModel, embedder, corpus } = await client.status();
  const model = options.model ?? defaultModel;
  const answers = options.answers ?? (model === EXTRACTIVE_MODEL ? 'rag' : 'none');
  return {
    mode: options.mode ?? 'default',
    limit: options.limit,
    filters: options.filter ?? {},
    as_of: options.asOf ?? null,
    answers,
    model: answers === 'none' ? null : model,
    embedder,
    version,
    documents: corpus.documents,
    chunks: corpus.chunks,
  };
}

interface EvalRun {
  readonly path: string;
  readonly dataDir: string;
  readonly setup: EvaluationSetup;
  readonly options: EvalOptions;
}

interface EvalContext {
  readonly client: Client;
  readonly context: CommandContext;
}

/** Asks the questions and saves results as they come: an interruption loses only the questions in progress. */
async function askAll(questions: readonly ResolvedQuestion[], run: EvalRun, { client, context }: EvalContext) {
  const { output, interruption } = context;
  const startDate = new Date().toISOString();
  const file = evaluationFile(run.dataDir, startDate);
  const results: QuestionResult[] = [];
  const currentRecord = (): EvaluationRecord => {
    const sorted = results.toSorted((one, two) => one.line - two.line);
    return {
      started_at: startDate,
      ended_at: new Date().toISOString(),
      is_whole: results.length === questions.length,
      questions_file: run.path,
      questions_in_file: questions.length,
      setup: run.setup,
      means: meanScores(sorted),
      questions: sorted,
    };
  };
  const parts = {
    target: toEvaluated(client, { ...run.options, answers: run.setup.answers }),
    limit: run.options.limit,
    isFatal,
  };
  const startedAt = performance.now();
  let kept = startedAt;
  try {
    const answered = mapConcurrently(untilStopped(questions, interruption.stop), concurrencyOf(run.setup), (question) =>
      evaluateQuestion(question, parts, interruption.abandon),
    );
    for await (const result of answered) {
      results.push(result);
      showProgress(output, { done: results.length, total: questions.length, results, startedAt });
      if (performance.now() - kept < SAVE_INTERVAL_MS) continue;
      await writeEvaluation(file, run.dataDir, currentRecord());
      kept = performance.now();
    }
  } catch (error) {
    if (!interruption.stop.aborted) throw error;
  } finally {
    output.status('');
    if (results.length > 0) await writeEvaluation(file, run.dataDir, currentRecord());
  }
  return { record: currentRecord(), file };
}

/** Searches alone are fast and are measured one at a time. */
const concurrencyOf = ({ answers }: EvaluationSetup): number => (answers === 'none' ? 1 : CONCURRENCY);

async function* untilStopped(questions: readonly ResolvedQuestion[], stop: AbortSignal) {
  for (const question of questions) {
    if (stop.aborted) return;
    yield question;
  }
}

/** Failures that every other question would have too. */
const isFatal = (error: unknown): boolean =>
  !(error instanceof ServiceError) ||
  ['store_failed', 'not_configured', 'unknown_model', 'embedding_mismatch', 'unauthenticated', 'forbidden'].includes(
    error.code,
  );

function showProgress(
  output: Output,
  state: { done: number; total: number; results: readonly QuestionResult[]; startedAt: number },
): void {
  const { done, total, results, startedAt } = state;
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  output.status(progressLine({ done, total, failed, skipped: 0, elapsedSeconds, unit: 'questions' }, output.width));
}

interface ReportParts {
  readonly file: string;
  readonly before: EvaluationRecord | undefined;
  readonly options: EvalOptions;
  readonly output: Output;
  readonly isStopped: boolean;
}

function report(record: EvaluationRecord, { file, before, options, output, isStopped }: ReportParts): ExitCode {
  const max = options.all ? Number.POSITIVE_INFINITY : undefined;
  const difference = before && differenceLines(before, record, max);
  const losses = difference === undefined ? [] : significantLosses(difference.comparison);
  const low = Object.entries(options.failBelow ?? {}).filter(([name, least]) => {
    const mean = record.means[name as ScoreName];
    return mean !== undefined && mean < least;
  });
  const failed = record.questions.filter(({ failure }) => failure !== undefined).length;
  if (options.json) {
    const comparison = difference && { with: before?.started_at, ...difference.comparison };
    output.print(JSON.stringify({ file, ...toWire(record), comparison: comparison ?? null }));
  } else if (record.questions.length > 0) {
    const printLines = (lines: readonly string[]) => {
      for (const line of lines) output.print(visible(line));
    };
    printLines(scoreTable(record));
    const faults = problemLines(record.questions, max);
    if (faults.length > 0) {
      output.print(output.style('bold', '\nWhat to look at'));
      printLines(faults);
    }
    if (difference !== undefined) printLines(['', ...difference.lines]);
    output.note(output.noteStyle('dim', `Kept in ${file}`));
  }
  if (failed > 0) output.note(`${failed} questions failed and are not in the scores.`);
  if (options.failOnLoss) for (const { score } of losses) output.note(`${score} is significantly worse than before.`);
  for (const [name, least] of low) output.note(`${name} is below ${least}.`);
  if (isStopped) {
    output.note(`Stopped after ${record.questions.length} of ${record.questions_in_file} questions.`);
    return exitCodes.interrupted;
  }
  const isLoss = options.failOnLoss === true && losses.length > 0;
  return isLoss || low.length > 0 || failed > 0 ? exitCodes.failure : exitCodes.ok;
}
