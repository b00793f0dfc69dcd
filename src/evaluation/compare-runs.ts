import { comparePairs, type PairedComparison } from './paired-test.ts';
import { type ScoredCase, type ScoreName, scoreNames } from './scores.ts';

/** A changed score of one case. */
export interface CaseChange {
  readonly id: string;
  readonly text: string;
  readonly before: number;
  readonly now: number;
}

export interface ScoreComparison extends PairedComparison {
  readonly score: ScoreName;
  /** Means over the cases with the score in both runs. */
  readonly before: number;
  readonly now: number;
  /** Every case that changed, from the greatest loss to the greatest gain. */
  readonly changes: readonly CaseChange[];
}

export interface RunComparison {
  /** Number of cases in both runs. */
  readonly shared: number;
  /** Number of cases in the earlier run only. */
  readonly onlyBefore: number;
  readonly onlyNow: number;
  readonly scores: readonly ScoreComparison[];
}

/** Compares an earlier run with a later one, case by case. */
export function compareRuns(before: readonly ScoredCase[], now: readonly ScoredCase[]): RunComparison {
  const known = new Map(before.map((each) => [each.id, each]));
  const pairs = now.flatMap((later) => {
    const earlier = known.get(later.id);
    return earlier === undefined ? [] : [{ earlier, later }];
  });
  const scores = scoreNames.flatMap((score): ScoreComparison[] => {
    const measured = pairs.flatMap(({ earlier, later }): CaseChange[] => {
      const [a, b] = [earlier.scores[score], later.scores[score]];
      return a === undefined || b === undefined ? [] : [{ id: later.id, text: later.text, before: a, now: b }];
    });
    if (measured.length === 0) return [];
    const difference = (change: CaseChange) => change.now - change.before;
    const mean = (value: (change: CaseChange) => number) =>
      measured.reduce((sum, change) => sum + value(change), 0) / measured.length;
    return [
      {
        score,
        ...comparePairs(measured.map(difference)),
        before: mean((change) => change.before),
        now: mean((change) => change.now),
        changes: measured
          .filter((change) => change.before !== change.now)
          .toSorted((one, two) => difference(one) - difference(two)),
      },
    ];
  });
  return {
    shared: pairs.length,
    onlyBefore: before.length - pairs.length,
    onlyNow: now.length - pairs.length,
    scores,
  };
}

/** Significance level of the p-value. */
const SIGNIFICANT = 0.05;

/** The scores that decreased significantly. */
export const significantLosses = ({ scores }: RunComparison): readonly ScoreComparison[] =>
  scores.filter(({ meanDifference, pValue }) => meanDifference < 0 && pValue < SIGNIFICANT);
