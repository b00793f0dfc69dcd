/** Scores of a query or question. Each is between 0 and 1, higher is better. */
export const scoreNames = [
  'ndcg@10',
  'mrr@10',
  'hit@1',
  'hit@3',
  'hit@10',
  'recall@10',
  'recall@100',
  /** An answerable question was answered. */
  'answered',
  /** The answer contains the expected one. */
  'answer',
  /** An unanswerable question was refused. */
  'refused',
  /** An expected document is cited. */
  'right_source',
  /** Share of the cited statements that their source supports. */
  'supported',
  /** Share of the citations that refer to a source and whose quotes are at the stated positions. */
  'well_formed',
] as const;

export type ScoreName = (typeof scoreNames)[number];

/** An absent score does not apply: an unanswerable question has no rank. */
export type Scores = Readonly<Partial<Record<ScoreName, number>>>;

/** A query or question with its scores. */
export interface ScoredCase {
  /** The same for the same query in every run. */
  readonly id: string;
  readonly text: string;
  readonly scores: Scores;
}

/** The mean of each score over the cases it applies to; scores that apply to none are absent. */
export function meanScores(cases: readonly ScoredCase[]): Scores {
  const means: Partial<Record<ScoreName, number>> = {};
  for (const name of scoreNames) {
    const values = cases.flatMap(({ scores }) => scores[name] ?? []);
    if (values.length > 0) means[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return means;
}

export const isScoreName = (name: string): name is ScoreName => (scoreNames as readonly string[]).includes(name);
