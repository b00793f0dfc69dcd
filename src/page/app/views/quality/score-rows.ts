import type { Evaluation, ScoreDifference } from './quality-data.ts';

/** What became of a score: chance explains a difference as long as its p-value is 0.05 or more. */
export type Change = 'better' | 'worse' | 'chance' | 'same' | 'new';

export interface ScoreRow {
  readonly score: string;
  readonly now: number;
  readonly difference: ScoreDifference | undefined;
  readonly change: Change;
}

const SIGNIFICANT = 0.05;

/** A row for each score of the evaluation, with its difference from the one before. */
export function scoreRows({ means, difference }: Pick<Evaluation, 'means' | 'difference'>): readonly ScoreRow[] {
  const compared = new Map(difference?.scores.map((each) => [each.score, each]));
  return Object.entries(means).map(([score, now]) => {
    const found = compared.get(score);
    return { score, now, difference: found, change: changeOf(found) };
  });
}

function changeOf(difference: ScoreDifference | undefined): Change {
  if (difference === undefined) return 'new';
  const { mean_difference: mean, p_value: chance } = difference;
  if (mean === 0) return 'same';
  if (chance >= SIGNIFICANT) return 'chance';
  return mean > 0 ? 'better' : 'worse';
}

/** A question that something is wrong with, as an address at which it is asked again. */
export const askAgain = (question: string): string => `/?${new URLSearchParams({ ask: question })}`;
