/** What is measured of a query or question. Each lies between 0 and 1, and more is better. */
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
  /** What was expected stands in the answer. */
  'answer',
  /** An unanswerable question was refused. */
  'refused',
  /** A document that was expected is cited. */
  'right_source',
  /** Share of the statements with a citation that their source says. */
  'supported',
  /** Share of the citations that point to a source, and whose quotes stand where they say. */
  'well_formed',
] as const;

export type ScoreName = (typeof scoreNames)[number];

/** A score that is absent does not apply: an unanswerable question has no rank. */
export type Scores = Readonly<Partial<Record<ScoreName, number>>>;

/** One query or question with what was measured of it. */
export interface ScoredCase {
  /** The same in every run of the same query. */
  readonly id: string;
  readonly text: string;
  readonly scores: Scores;
}

/** The mean of each score over the cases it applies to; those that apply to none are absent. */
export function meanScores(cases: readonly ScoredCase[]): Scores {
  const means: Partial<Record<ScoreName, number>> = {};
  for (const name of scoreNames) {
    const values = cases.flatMap(({ scores }) => scores[name] ?? []);
    if (values.length > 0) means[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return means;
}

export const isScoreName = (name: string): name is ScoreName => (scoreNames as readonly string[]).includes(name);
