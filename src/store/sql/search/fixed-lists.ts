const FIRST_LIST_LENGTH = 50;
const LIST_GROWTH = 8;

/**
 * Lengths of the lists that an approximate search returns. Its result changes with its limit, so fixed lengths keep
 * pages consistent.
 */
export const listLengths = (first: number = FIRST_LIST_LENGTH): readonly number[] => [first, LIST_GROWTH * first];

/** The first list, followed by the hits of the second that it lacks. */
export function withoutRepeats<Hit extends { readonly key: number }>(
  one: readonly Hit[],
  two: readonly Hit[],
): readonly Hit[] {
  if (one.length === 0) return two;
  const known = new Set(one.map(({ key }) => key));
  return [...one, ...two.filter(({ key }) => !known.has(key))];
}
