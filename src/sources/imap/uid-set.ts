/** Formats numbers, which must be in ascending order, as an IMAP sequence set such as `1:5,9`. */
export function toRanges(numbers: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    const first = numbers[at] ?? 0;
    let last = first;
    for (at++; numbers[at] === last + 1; at++) last++;
    ranges.push(first === last ? `${first}` : `${first}:${last}`);
  }
  return ranges.join(',');
}

/** Parses an IMAP sequence set. */
export function fromRanges(ranges: string): Set<number> {
  const numbers = new Set<number>();
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = Number.NaN, last = first] = range.split(':').map(Number);
    for (let each = first; each <= last; each++) numbers.add(each);
  }
  return numbers;
}
