/** Numbers as the ranges that IMAP writes them in, such as `1:5,9`. The numbers are in ascending order. */
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

/** The numbers of such ranges. */
export function fromRanges(ranges: string): Set<number> {
  const numbers = new Set<number>();
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = Number.NaN, last = first] = range.split(':').map(Number);
    for (let each = first; each <= last; each++) numbers.add(each);
  }
  return numbers;
}
