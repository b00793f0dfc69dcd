import { z } from 'zod';
import { toWire } from '../../evaluation/evaluation-record.ts';
import { problemsOf } from '../../evaluation/evaluation-report.ts';
import type { EvaluationDifference, StoredEvaluation } from '../../evaluation/evaluation-store.ts';
import { timestamp } from './record-parts.ts';

const scores = z.record(z.string(), z.number());

const summaryMembers = {
  id: z.string(),
  started_at: timestamp,
  ended_at: timestamp,
  is_whole: z.boolean().describe('False if it was interrupted.'),
  questions_file: z.string(),
  questions_in_file: z.int(),
  setup: z.looseObject({ mode: z.string(), answers: z.string(), embedder: z.string(), version: z.string() }),
  means: scores,
  question_count: z.int(),
  fault_count: z.int(),
};

export const evaluationSummary = z.object(summaryMembers).meta({ id: 'EvaluationSummary' });

const answerChange = z.object({ id: z.string(), text: z.string(), before: z.number(), now: z.number() });

export const evaluationRecord = z
  .object({
    ...summaryMembers,
    questions: z.array(
      z.looseObject({
        id: z.string(),
        line: z.int(),
        question: z.string(),
        unanswerable: z.boolean(),
        scores,
        rank: z.number().nullable(),
        found: z.array(z.string()),
        faults: z.array(z.string()),
      }),
    ),
    difference: z
      .object({
        before: evaluationSummary,
        setup_changes: z.array(z.string()),
        shared: z.int(),
        only_before: z.int(),
        only_now: z.int(),
        scores: z.array(
          z.object({
            score: z.string(),
            pairs: z.int(),
            wins: z.int(),
            losses: z.int(),
            before: z.number(),
            now: z.number(),
            mean_difference: z.number(),
            p_value: z.number().describe('p-value of a paired randomisation test.'),
            changes: z.array(answerChange),
          }),
        ),
      })
      .nullable()
      .describe('From the newest earlier evaluation of at least half of its questions.'),
  })
  .meta({ id: 'Evaluation' });

/** An evaluation without its questions. */
export function toEvaluationSummary({ id, record }: StoredEvaluation) {
  const { questions, ...rest } = record;
  return {
    id,
    ...rest,
    question_count: questions.length,
    fault_count: questions.filter((question) => problemsOf(question).length > 0).length,
  };
}

/** An evaluation with its questions, the faults of each, and the difference from the previous evaluation. */
export function toEvaluationRecord(evaluation: StoredEvaluation, difference: EvaluationDifference | undefined) {
  const { questions } = toWire(evaluation.record);
  return {
    ...toEvaluationSummary(evaluation),
    questions: questions.map((question, at) => {
      const result = evaluation.record.questions[at];
      return { ...question, faults: result === undefined ? [] : problemsOf(result) };
    }),
    difference: difference === undefined ? null : toDifferenceRecord(difference),
  };
}

function toDifferenceRecord({ before, setupChanges, comparison }: EvaluationDifference) {
  return {
    before: toEvaluationSummary(before),
    setup_changes: setupChanges,
    shared: comparison.shared,
    only_before: comparison.onlyBefore,
    only_now: comparison.onlyNow,
    scores: comparison.scores.map(({ meanDifference, pValue, ...rest }) => ({
      ...rest,
      mean_difference: meanDifference,
      p_value: pValue,
    })),
  };
}
