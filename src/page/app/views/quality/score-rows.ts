import type { Evaluation, ScoreDifference } from './quality-data.ts';

/** Change of a score; a p-value of 0.05 or more counts as `chance`. */
export type Change = 'better' | 'worse' | 'chance' | 'same' | 'new';

export interface ScoreRow {
  readonly score: string;
  readonly now: number;
  readonly difference: ScoreDifference | undefined;
  readonly change: Change;
}

const SIGNIFICANT = 0.05;

/** One row per score, with the difference from the previous evaluation. */
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

/** URL that asks a faulty question again. */
export const askAgain = (question: string): string => `/?${new URLSearchParams({ ask: question })}`;
