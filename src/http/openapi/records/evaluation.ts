import { z } from 'zod';
import { timestamp } from './shared.ts';

const scores = z.record(z.string(), z.number());

const summaryMembers = {
  id: z.string(),
  started_at: timestamp,
  ended_at: timestamp,
  is_whole: z.boolean().describe('False for what was interrupted.'),
  questions_file: z.string(),
  questions_in_file: z.int(),
  setup: z.looseObject({ mode: z.string(), answers: z.string(), embedder: z.string(), version: z.string() }),
  means: scores,
  question_count: z.int(),
  fault_count: z.int(),
};
export const evaluationSummary = z.object(summaryMembers).meta({ id: 'EvaluationSummary' });

const change = z.object({ id: z.string(), text: z.string(), before: z.number(), now: z.number() });

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
            p_value: z.number().describe('How often chance alone would give such a difference.'),
            changes: z.array(change),
          }),
        ),
      })
      .nullable()
      .describe('From the newest earlier evaluation of at least half of its questions.'),
  })
  .meta({ id: 'Evaluation' });
