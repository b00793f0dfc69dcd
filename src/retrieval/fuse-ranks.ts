import type { HybridSettings } from './search-settings.ts';

/** Something with an identifier of its own, which tells it again in another list. */
interface Identified {
  readonly id: string;
}

interface FusionSettings extends HybridSettings {
  readonly limit: number;
}

export interface Fused<Item> {
  readonly item: Item;
  readonly score: number;
}

/**
 * Weighted reciprocal rank fusion, r2r-v3.md 4.1: `(ws/(k+rs) + wf/(k+rf)) / (ws+wf)`, best first, ties in the order of
 * the semantic list, then of the other.
 *
 * A hit that a list lacks counts there as ranked at the list's limit, which is `limit` for the semantic one. Hits ranked
 * beyond twice a list's limit are dropped.
 */
export function fuseRanks<Item extends Identified>(
  semantic: readonly Item[],
  fullText: readonly Item[],
  { semanticWeight, fullTextWeight, fullTextLimit, rrfK, limit }: FusionSettings,
): Fused<Item>[] {
  const semanticRanks = ranksOf(semantic);
  const fullTextRanks = ranksOf(fullText);
  const items = new Map([...semantic, ...fullText].map((item) => [item.id, item]));
  return [...items.values()]
    .map((item) => ({
      item,
      semanticRank: semanticRanks.get(item.id) ?? limit,
      fullTextRank: fullTextRanks.get(item.id) ?? fullTextLimit,
    }))
    .filter(({ semanticRank, fullTextRank }) => semanticRank <= 2 * limit && fullTextRank <= 2 * fullTextLimit)
    .map(({ item, semanticRank, fullTextRank }) => {
      const sum = semanticWeight / (rrfK + semanticRank) + fullTextWeight / (rrfK + fullTextRank);
      return { item, score: sum / (semanticWeight + fullTextWeight) };
    })
    .sort((one, two) => two.score - one.score);
}

/**
 * The same for lists that were read further than their limits, for a later page. Only what stands within the limits is
 * ranked, so that every page is cut from one and the same order; what is beyond follows, at the least score there is.
 */
export function fuseLegs<Item extends Identified>(
  semantic: readonly Item[],
  fullText: readonly Item[],
  settings: FusionSettings,
): Fused<Item>[] {
  const { semanticWeight, fullTextWeight, fullTextLimit, rrfK, limit } = settings;
  const fused = fuseRanks(semantic.slice(0, limit), fullText.slice(0, fullTextLimit), settings);
  const ranked = new Set(fused.map(({ item }) => item.id));
  const beyond = new Map([...semantic.slice(limit), ...fullText.slice(fullTextLimit)].map((item) => [item.id, item]));
  const sum = semanticWeight / (rrfK + limit) + fullTextWeight / (rrfK + fullTextLimit);
  const score = sum / (semanticWeight + fullTextWeight);
  const rest = [...beyond.values()].filter(({ id }) => !ranked.has(id)).map((item) => ({ item, score }));
  return [...fused, ...rest];
}

/**
 * Plain reciprocal rank fusion of several lists, `Σ 1/(60+rank)`, best first: how the answers to the variants of one
 * question become one list (r2r-v3.md 4.1, rag_fusion).
 */
export function fuseVariants<Item extends Identified>(lists: readonly (readonly Item[])[]): Fused<Item>[] {
  const fused = new Map<string, Fused<Item>>();
  for (const list of lists) {
    for (const [place, item] of list.entries()) {
      const known = fused.get(item.id);
      const share = 1 / (VARIANT_K + place + 1);
      fused.set(item.id, { item: known?.item ?? item, score: (known?.score ?? 0) + share });
    }
  }
  return [...fused.values()].sort((one, two) => two.score - one.score);
}

const VARIANT_K = 60;

// The first place counts when an item is listed twice.
function ranksOf(items: readonly Identified[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const [place, { id }] of items.entries()) if (!ranks.has(id)) ranks.set(id, place + 1);
  return ranks;
}
