import { ByteCursor } from './byte-cursor.ts';

/** Where a page has entries of one term. */
export interface DoclistPart {
  readonly start: number;
  readonly end: number;
  /** Whether the next page of the segment may have more of them. */
  readonly mayContinue: boolean;
}

/** The header: the place of the first key that no term precedes, and where the index of the page's terms begins. */
const HEADER = 4;

const startOfIndex = (page: Uint8Array): number => ((page[2] ?? 0) << 8) | (page[3] ?? 0);

/**
 * Finds the entries of a term on a page of an FTS5 segment, if the term is on it. Terms are sorted, and all but the first are
 * stored without the bytes that they share with the one before.
 */
export function findTerm(page: Uint8Array, wanted: Uint8Array): DoclistPart | undefined {
  const start = startOfIndex(page);
  const index = new ByteCursor(page, start);
  const term = new ByteCursor(page, 0);
  let place = 0;
  // Number of the first bytes in which the previous term equals the wanted one.
  let equal = 0;
  while (!index.isAtEnd) {
    const isFirst = index.at === start;
    place += index.varint();
    term.at = place;
    const shared = isFirst ? 0 : term.varint();
    const length = term.varint();
    // The term differs where the previous one does, which was smaller.
    if (shared > equal) continue;
    if (shared < equal) return undefined;
    const entries = term.at + length;
    while (term.at < entries && equal < wanted.length && page[term.at] === wanted[equal]) {
      term.at++;
      equal++;
    }
    const isBeginning = equal === wanted.length;
    if (isBeginning && term.at === entries) return partFrom(entries, index, place);
    if (isBeginning || (term.at < entries && (page[term.at] ?? 0) > (wanted[equal] ?? 0))) return undefined;
  }
  return undefined;
}

// Ends where the next term begins, or with the terms.
function partFrom(start: number, index: ByteCursor, place: number): DoclistPart {
  if (index.isAtEnd) return { start, end: startOfIndex(index.bytes), mayContinue: true };
  return { start, end: place + index.varint(), mayContinue: false };
}

/** Where a page continues the entries of the last term of the page before. */
export function continuedOn(page: Uint8Array): DoclistPart {
  const end = startOfIndex(page);
  if (end >= page.length) return { start: HEADER, end, mayContinue: true };
  return { start: HEADER, end: new ByteCursor(page, end).varint(), mayContinue: false };
}
