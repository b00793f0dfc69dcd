export interface ScoredKey {
  readonly key: number;
  readonly score: number;
}

/** Keeps the `limit` highest scores offered; ties go to the smaller key. */
export function bestKeys(limit: number): { offer(key: number, score: number): void; take(): ScoredKey[] } {
  const best: ScoredKey[] = [];
  return {
    offer(key, score) {
      const worst = best[limit - 1];
      if (limit === 0 || (worst !== undefined && !isBetter(key, score, worst))) return;
      let low = 0;
      let high = best.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = best[middle];
        if (other !== undefined && isBetter(key, score, other)) high = middle;
        else low = middle + 1;
      }
      best.splice(low, 0, { key, score });
      if (best.length > limit) best.pop();
    },
    take: () => best,
  };
}

const isBetter = (key: number, score: number, other: ScoredKey): boolean =>
  score > other.score || (score === other.score && key < other.key);
