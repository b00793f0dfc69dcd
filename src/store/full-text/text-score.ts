/** The BM25 sum with score 0.5: about three matched words of medium frequency. */
const HALF_SCORE = 10;

/** Maps a BM25 sum to an increasing score in [0, 1). */
export const toTextScore = (sum: number): number => sum / (sum + HALF_SCORE);

/** The inverse of `toTextScore`. */
export const fromTextScore = (score: number): number => (HALF_SCORE * score) / Math.max(Number.EPSILON, 1 - score);
