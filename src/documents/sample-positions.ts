/**
 * Samples at most `max` of `count` positions, in order: half of them from the beginning, where a document introduces its
 * subject, the rest at even distances up to the end.
 */
export function samplePositions(count: number, max: number): readonly number[] {
  if (count <= max) return Array.from({ length: count }, (_, place) => place);
  const head = Math.ceil(max / 2);
  const step = (count - head) / Math.max(1, max - head);
  return Array.from({ length: max }, (_, place) => (place < head ? place : Math.floor(head + (place - head) * step)));
}
