import { toWire } from '../../evaluation/evaluation-record.ts';
import { faultsOf } from '../../evaluation/evaluation-report.ts';
import type { EvaluationDifference, StoredEvaluation } from '../../evaluation/evaluation-store.ts';

/** An evaluation without its questions. */
export function toEvaluationSummary({ id, record }: StoredEvaluation) {
  const { questions, ...rest } = record;
  return {
    id,
    ...rest,
    question_count: questions.length,
    fault_count: questions.filter((question) => faultsOf(question).length > 0).length,
  };
}

/** An evaluation with its questions and what is wrong with each, and how it differs from the one before. */
export function toEvaluationRecord(evaluation: StoredEvaluation, difference: EvaluationDifference | undefined) {
  const { questions } = toWire(evaluation.record);
  return {
    ...toEvaluationSummary(evaluation),
    questions: questions.map((question, at) => {
      const result = evaluation.record.questions[at];
      return { ...question, faults: result === undefined ? [] : faultsOf(result) };
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
