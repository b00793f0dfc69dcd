/** The candidate with the smallest edit distance, for "did you mean" hints. */
export function nearestName(name: string, candidates: readonly string[]): string {
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
  ranked.sort((left, right) => left.distance - right.distance);
  return ranked[0]?.candidate ?? name;
}

/** The nearest candidate if it is probably a misspelling of it: at most a third of the letters differ. */
export function misspelledName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const nearest = nearestName(name, candidates);
  return editDistance(name, nearest) * 3 <= Math.max(name.length, nearest.length) ? nearest : undefined;
}

/** Levenshtein distance, in which two swapped neighbours count once. */
function editDistance(left: string, right: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swap = isSwap ? (beforePrevious[column - 2] ?? Infinity) + 1 : Infinity;
      current.push(Math.min(substitution, swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
