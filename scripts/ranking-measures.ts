/** How good a ranking is, each from 0 to 1. */
export interface RankingMeasures {
  readonly ndcgAt10: number;
  readonly recallAt100: number;
  readonly mrrAt10: number;
}

/** Judges the ranked identifiers of one query; `gains` says how relevant each is, absent and 0 meaning not at all. */
export function measureRanking(ranked: readonly string[], gains: ReadonlyMap<string, number>): RankingMeasures {
  const gainOf = (id: string) => Math.max(0, gains.get(id) ?? 0);
  const relevant = [...gains.keys()].filter((id) => gainOf(id) > 0);
  const ideal = relevant.map(gainOf).sort((one, two) => two - one);
  const first = ranked.slice(0, 10).findIndex((id) => gainOf(id) > 0);
  const found = new Set(ranked.slice(0, 100));
  return {
    ndcgAt10: ideal.length === 0 ? 0 : discounted(ranked.map(gainOf)) / discounted(ideal),
    recallAt100: relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length,
    mrrAt10: first < 0 ? 0 : 1 / (first + 1),
  };
}

const discounted = (gains: readonly number[]): number =>
  gains.slice(0, 10).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);

export function meanMeasures(all: readonly RankingMeasures[]): RankingMeasures {
  const mean = (measure: keyof RankingMeasures) =>
    all.length === 0 ? 0 : all.reduce((sum, each) => sum + each[measure], 0) / all.length;
  return { ndcgAt10: mean('ndcgAt10'), recallAt100: mean('recallAt100'), mrrAt10: mean('mrrAt10') };
}
