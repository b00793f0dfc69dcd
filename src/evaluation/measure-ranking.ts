import type { Scores } from './scores.ts';

/**
 * Scores the ranked identifiers of one query; `gains` are the relevance grades, absent and 0 meaning not relevant. A
 * repeated identifier counts at its first rank. nDCG uses linear gains divided by log2(rank + 1), like trec_eval.
 */
export function measureRanking(ranked: readonly string[], gains: ReadonlyMap<string, number>): Scores {
  const gainOf = (id: string) => Math.max(0, gains.get(id) ?? 0);
  const relevant = [...gains.keys()].filter((id) => gainOf(id) > 0);
  const ideal = relevant.map(gainOf).sort((one, two) => two - one);
  const places = [...new Set(ranked)];
  const first = places.findIndex((id) => gainOf(id) > 0);
  const recallAt = (depth: number) => {
    const found = new Set(places.slice(0, depth));
    return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length;
  };
  const hitAt = (depth: number) => (first >= 0 && first < depth ? 1 : 0);
  return {
    'ndcg@10': ideal.length === 0 ? 0 : discounted(places.map(gainOf)) / discounted(ideal),
    'mrr@10': hitAt(10) === 0 ? 0 : 1 / (first + 1),
    'hit@1': hitAt(1),
    'hit@3': hitAt(3),
    'hit@10': hitAt(10),
    'recall@10': recallAt(10),
    'recall@100': recallAt(100),
  };
}

const discounted = (gains: readonly number[]): number =>
  gains.slice(0, 10).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
