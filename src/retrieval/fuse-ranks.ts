import type { HybridSettings } from './search-settings.ts';

/** An item of a ranked list; items of several lists are matched by `id`. */
export interface Identified {
  readonly id: string | number;
}

interface FusionSettings extends HybridSettings {
  readonly limit: number;
}

export interface Fused<Item> {
  readonly item: Item;
  readonly score: number;
}

/**
 * Weighted reciprocal rank fusion (RRF), docs/contract.md 4.1: `(ws/(k+rs) + wf/(k+rf)) / (ws+wf)`, best first, ties in
 * the order of the semantic list, then of the other.
 *
 * A hit missing from a list counts there as ranked at the list's limit, which is `limit` for the semantic one. Hits
 * ranked beyond twice a list's limit are dropped.
 */
export function fuseRanks<Item extends Identified>(
  semantic: readonly Item[],
  fullText: readonly Item[],
  { semanticWeight, fullTextWeight, fullTextLimit, rrfK, limit }: FusionSettings,
): Fused<Item>[] {
  const fused: Fused<Item>[] = [];
  for (const { item, semanticRank = limit, fullTextRank = fullTextLimit } of ranksOf(semantic, fullText)) {
    if (semanticRank > 2 * limit || fullTextRank > 2 * fullTextLimit) continue;
    const sum = semanticWeight / (rrfK + semanticRank) + fullTextWeight / (rrfK + fullTextRank);
    fused.push({ item, score: sum / (semanticWeight + fullTextWeight) });
  }
  return fused.sort((one, two) => two.score - one.score);
}

/**
 * Like `fuseRanks`, for lists that were read beyond their limits for a later page. Only hits within the limits are
 * ranked, so that all pages come from the same ranking; hits beyond follow with the lowest score.
 */
export function fuseLegs<Item extends Identified>(
  semantic: readonly Item[],
  fullText: readonly Item[],
  settings: FusionSettings,
): Fused<Item>[] {
  const { semanticWeight, fullTextWeight, fullTextLimit, rrfK, limit } = settings;
  const fused = fuseRanks(semantic.slice(0, limit), fullText.slice(0, fullTextLimit), settings);
  const ranked = new Set(fused.map(({ item }) => item.id));
  const remaining = alternate(semantic.slice(limit), fullText.slice(fullTextLimit));
  const sum = semanticWeight / (rrfK + limit) + fullTextWeight / (rrfK + fullTextLimit);
  const score = sum / (semanticWeight + fullTextWeight);
  const rest = remaining.filter(({ id }) => !ranked.has(id)).map((item) => ({ item, score }));
  return [...fused, ...rest];
}

/** Interleaves two lists without duplicates, so that reading further only appends. */
export function alternate<Item extends Identified>(one: readonly Item[], two: readonly Item[]): Item[] {
  const items = new Map<Identified['id'], Item>();
  for (let place = 0; place < Math.max(one.length, two.length); place++) {
    for (const item of [one[place], two[place]]) if (item && !items.has(item.id)) items.set(item.id, item);
  }
  return [...items.values()];
}

/**
 * Plain reciprocal rank fusion of several lists, `Σ 1/(60+rank)`, best first, for the results of a question's variants
 * (docs/contract.md 4.1, rag_fusion).
 */
export function fuseVariants<Item extends Identified>(lists: readonly (readonly Item[])[]): Fused<Item>[] {
  const fused = new Map<Identified['id'], Fused<Item>>();
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

interface Ranked<Item> {
  readonly item: Item;
  /** From 1; absent if the item is not in that list. */
  semanticRank?: number;
  fullTextRank?: number;
}

// A duplicate counts at its first rank.
function ranksOf<Item extends Identified>(
  semantic: readonly Item[],
  fullText: readonly Item[],
): Iterable<Ranked<Item>> {
  const ranked = new Map<Identified['id'], Ranked<Item>>();
  for (const [place, item] of semantic.entries()) {
    if (!ranked.has(item.id)) ranked.set(item.id, { item, semanticRank: place + 1 });
  }
  for (const [place, item] of fullText.entries()) {
    const known = ranked.get(item.id);
    if (known === undefined) ranked.set(item.id, { item, fullTextRank: place + 1 });
    else known.fullTextRank ??= place + 1;
  }
  return ranked.values();
}
