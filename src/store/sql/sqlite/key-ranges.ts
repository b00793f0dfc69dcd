/** A run of consecutive integer keys, ends included: a compact notation for the keys of a document. */
export type KeyRange = readonly [first: number, last: number];

export function toKeyRanges(keys: readonly number[]): KeyRange[] {
  const ranges: KeyRange[] = [];
  let first: number | undefined;
  let last: number | undefined;
  for (const key of [...keys].sort((one, two) => one - two)) {
    if (first !== undefined && last !== undefined && key > last + 1) {
      ranges.push([first, last]);
      first = key;
    }
    first ??= key;
    last = key;
  }
  if (first !== undefined && last !== undefined) ranges.push([first, last]);
  return ranges;
}

export function fromKeyRanges(ranges: readonly KeyRange[]): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

export function countKeys(ranges: readonly KeyRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Splits the list into batches of at most `size`. */
export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
