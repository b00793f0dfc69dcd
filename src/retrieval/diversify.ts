import type { ScoredChunk } from '../documents/chunk.ts';
import { likeness, passageWords } from './passage-words.ts';

/** So many places are chosen one by one; what follows keeps its order. */
const MOST_CHOSEN = 100;
/** The place that is worth half as much as the first. */
const HALF = 10;

/**
 * Maximal marginal relevance: each place goes to the passage that is worth the most by its own place less how much it
 * resembles those before it. `diversity` 0 leaves the order as it is, 1 looks at nothing but difference.
 */
export function diversify(chunks: readonly ScoredChunk[], diversity: number): ScoredChunk[] {
  if (diversity === 0) return [...chunks];
  const left = chunks.map((chunk, place) => ({
    chunk,
    worth: HALF / (HALF + place),
    words: new Set(passageWords(chunk.text)),
    nearest: 0,
  }));
  const chosen: ScoredChunk[] = [];
  while (left.length > 0 && chosen.length < MOST_CHOSEN) {
    const worthOf = (at: number) => {
      const each = left[at];
      return each === undefined ? 0 : (1 - diversity) * each.worth - diversity * each.nearest;
    };
    let best = 0;
    for (let at = 1; at < left.length; at++) if (worthOf(at) > worthOf(best)) best = at;
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    chosen.push(next.chunk);
    for (const each of left) each.nearest = Math.max(each.nearest, likeness(each.words, next.words));
  }
  return [...chosen, ...left.map(({ chunk }) => chunk)];
}
