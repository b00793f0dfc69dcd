import { fromTextScore } from '../store/full-text/text-score.ts';
import { alternate, type Fused, type Identified } from './fuse-ranks.ts';
import type { HybridSettings } from './search-settings.ts';

/** A hit of one leg. */
interface Scored extends Identified {
  readonly score: number;
}

/** Minimum number of candidates of each leg that are scored together. */
export const MIN_CANDIDATES = 200;
const FULL_TEXT_SHARE = 0.6;

/** Weights of the legs that add up to 1. */
export type ScoreShares = Pick<HybridSettings, 'fullTextWeight' | 'semanticWeight'>;

export function scoreShares(fullTextShare = FULL_TEXT_SHARE): ScoreShares {
  // Rounded, because `explain` shows the weights.
  return { fullTextWeight: fullTextShare, semanticWeight: Math.round(100 * (1 - fullTextShare)) / 100 };
}

/**
 * Convex combination of normalised scores, by default `0.6 · BM25/best BM25 + 0.4 · cosine/best cosine`, best first,
 * ties in the order of the full text, then of the other. A hit missing from a leg scores 0 there. Unlike ranks, scores
 * keep the distances between hits.
 *
 * Only the first candidates of each list are scored, so that all pages come from the same ranking; further hits of the
 * lists follow, interleaved.
 */
export function fuseScores<Item extends Scored>(
  semantic: readonly Item[],
  fullText: readonly Item[],
  { fullTextWeight, semanticWeight }: ScoreShares = scoreShares(),
): Fused<Item>[] {
  const near = semantic.slice(0, MIN_CANDIDATES);
  const matching = fullText.slice(0, MIN_CANDIDATES);
  const semanticScores = shares(near, ({ score }) => score);
  const fullTextScores = shares(matching, ({ score }) => fromTextScore(score));
  const items = new Map([...matching, ...near].map((item) => [item.id, item]));
  const fused = [...items.values()]
    .map((item) => {
      const words = fullTextWeight * (fullTextScores.get(item.id) ?? 0);
      return { item, score: words + semanticWeight * (semanticScores.get(item.id) ?? 0) };
    })
    .sort((one, two) => two.score - one.score);
  const remaining = alternate(semantic.slice(MIN_CANDIDATES), fullText.slice(MIN_CANDIDATES));
  return [...fused, ...remaining.filter(({ id }) => !items.has(id)).map((item) => ({ item, score: 0 }))];
}

/** Each score divided by the best one; negative scores count as 0. */
function shares<Item extends Scored>(
  items: readonly Item[],
  value: (item: Item) => number,
): Map<Identified['id'], number> {
  const best = Math.max(0, ...items.map(value));
  return new Map(items.map((item) => [item.id, best === 0 ? 0 : Math.max(0, value(item)) / best]));
}
