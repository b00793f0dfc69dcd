import { alignedTable } from '../shared/aligned-table.ts';
import { shortLine } from '../shared/text.ts';
import { type CaseChange, compareRuns, type RunComparison } from './compare-runs.ts';
import type { QuestionResult } from './evaluate-questions.ts';
import { type EvaluationRecord, setupChanges } from './evaluation-record.ts';
import type { ScoredCase, ScoreName } from './scores.ts';
import { shownChance, shownDifference, shownScore } from './tables.ts';

/** Explanations of the scores, for users. */
const meanings: Readonly<Record<ScoreName, string>> = {
  'ndcg@10': 'expected results rank high among the first ten',
  'mrr@10': 'one divided by the rank of the first correct passage',
  'hit@1': 'the first passage is correct',
  'hit@3': 'one of the first three is correct',
  'hit@10': 'one of the first ten is correct',
  'recall@10': 'share of expected results among the first ten',
  'recall@100': 'share of expected results among the first hundred',
  answered: 'answerable questions that were answered',
  answer: 'answers that contain the expected text',
  refused: 'unanswerable questions that were refused',
  right_source: 'answers that cite an expected document',
  supported: 'cited statements that their source supports',
  well_formed: 'citations that point to a source, with verbatim quotes',
};

/** Table of the scores with their meaning and number of questions. */
export function scoreTable({ means, questions }: EvaluationRecord): string[] {
  const names = Object.keys(meanings) as ScoreName[];
  const rows = names.flatMap((name) => {
    const mean = means[name];
    if (mean === undefined) return [];
    const count = questions.filter(({ scores }) => scores[name] !== undefined).length;
    return [[name, shownScore(mean), String(count), meanings[name]]];
  });
  const numbers = alignedTable([['', 'score', 'of', ''], ...rows.map(([a = '', b = '', c = '']) => [a, b, c, ''])]);
  return numbers.map((line, index) => (index === 0 ? line : `${line}  ${rows[index - 1]?.[3] ?? ''}`));
}

const MAX_LISTED = 10;

/** The failed and worst questions, the worst first. */
export function problemLines(questions: readonly QuestionResult[], max = MAX_LISTED): string[] {
  const faults = questions.flatMap((question) => {
    const found = problemsOf(question);
    return found.length === 0 ? [] : [{ question, found }];
  });
  const shown = faults
    .slice(0, max)
    .map(({ question, found }) => `  line ${question.line}: ${quoted(question.text)}  (${found.join('; ')})`);
  const more = faults.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more; --all lists them`] : [])];
}

/** Describes the problems of a question's result; empty if there are none. */
export function problemsOf({ scores, failure, found }: QuestionResult): string[] {
  if (failure !== undefined) return [`failed: ${failure}`];
  const instead = found.length === 0 ? 'nothing was found' : `found instead: ${found.map(quoted).join(', ')}`;
  return [
    ...(scores['hit@10'] === 0 ? [`not among the first ten; ${instead}`] : []),
    ...(scores.refused === 0 ? ['answered, though it is unanswerable'] : []),
    ...(scores.answered === 0 ? ['refused'] : []),
    ...(scores.answer === 0 && scores.answered === 1 ? ['the answer does not contain the expected text'] : []),
    ...(scores.right_source === 0 && scores.answered === 1 ? ['cites no expected document'] : []),
    ...(scores.supported !== undefined && scores.supported < 1
      ? [`${Math.round(100 * scores.supported)} % of the cited statements are supported`]
      : []),
    ...(scores.well_formed !== undefined && scores.well_formed < 1 ? ['a citation is malformed'] : []),
  ];
}

const COMPARED_SCORES: readonly ScoreName[] = ['ndcg@10', 'answer', 'answered', 'refused', 'right_source', 'supported'];

/** Differences from an earlier evaluation: configuration, scores, and single questions. */
export function differenceLines(
  before: EvaluationRecord,
  now: EvaluationRecord,
  max = MAX_LISTED,
): { readonly lines: string[]; readonly comparison: RunComparison } {
  const comparison = compareRuns(measuredQuestions(before.questions), measuredQuestions(now.questions));
  const { shared, onlyBefore, onlyNow } = comparison;
  const others = [
    ...(onlyBefore > 0 ? [`${onlyBefore} only before`] : []),
    ...(onlyNow > 0 ? [`${onlyNow} only now`] : []),
  ];
  const rows = comparison.scores.map((each) => [
    each.score,
    shownScore(each.before),
    shownScore(each.now),
    shownDifference(each.meanDifference),
    String(each.wins),
    String(each.losses),
    shownChance(each.pValue),
  ]);
  const changed = comparison.scores
    .filter(({ score, changes }) => COMPARED_SCORES.includes(score) && changes.length > 0)
    .flatMap(({ score, changes }) => changeLines(score, changes, max));
  const lines = [
    `Compared with the evaluation of ${before.started_at.slice(0, 19).replace('T', ' ')}: ${[`${shared} questions in both`, ...others].join(', ')}.`,
    ...setupChanges(before.setup, now.setup).map((change) => `  ${change}`),
    ...(rows.length === 0 ? [] : alignedTable([['', 'before', 'now', 'difference', 'better', 'worse', 'p'], ...rows])),
    ...(changed.length === 0 ? ['No question has a different result.'] : changed),
  ];
  return { lines, comparison };
}

/** Excludes failed questions, which were not measured. */
export const measuredQuestions = (questions: readonly QuestionResult[]): readonly ScoredCase[] =>
  questions.filter(({ failure }) => failure === undefined);

function changeLines(score: ScoreName, changes: readonly CaseChange[], max: number): string[] {
  const worse = changes.filter((change) => change.now < change.before);
  const better = changes.filter((change) => change.now > change.before).toReversed();
  const list = (title: string, some: readonly CaseChange[]) => {
    if (some.length === 0) return [];
    const shown = some
      .slice(0, max)
      .map(({ before, now, text }) => `    ${shownScore(before)} → ${shownScore(now)}  ${quoted(text)}`);
    const more = some.length - shown.length;
    return [`  ${title} by ${score}:`, ...shown, ...(more > 0 ? [`    and ${more} more; --all lists them`] : [])];
  };
  return [...list('worse', worse), ...list('better', better)];
}

const MAX_CHARACTERS = 120;

const quoted = (text: string): string => shortLine(text, MAX_CHARACTERS);
