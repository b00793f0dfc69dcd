import { ByteCursor } from './byte-cursor.ts';

/**
 * One of the sorted parts of which an FTS5 index consists. Each has the postings of some of the rows: writes add
 * segments, and FTS5 merges them.
 */
export interface Segment {
  readonly id: number;
  /** Numbers of its first and last page. */
  readonly firstPage: number;
  readonly lastPage: number;
  /** Number of the first transaction whose rows it contains. */
  readonly firstOrigin: number;
  /** Number of pages with the keys of rows that were removed after it was written. */
  readonly tombstonePages: number;
}

/** The second four bytes of the structure record of a table with `contentless_delete`. */
const WITH_TOMBSTONES = 0xff_00_00_01;
/** Of the variable-length integers after that. */
const START = 8;

/**
 * The segments that have pages, oldest first, from FTS5's structure record, which is row 10 of its table `_data`. SQLite
 * describes the format in `ext/fts5/fts5_index.c`. Undefined if the record has another format.
 */
export function readSegments(structure: Uint8Array): Segment[] | undefined {
  if (structure.length <= START || viewOf(structure).getUint32(4) !== WITH_TOMBSTONES) return undefined;
  const cursor = new ByteCursor(structure, START);
  const [levels, expected] = [cursor.varint(), cursor.varint()];
  const segments: Segment[] = [];
  // The number of writes.
  cursor.varint();
  for (let level = 0; level < levels; level++) {
    // The number of its segments that are being merged.
    cursor.varint();
    const count = cursor.varint();
    for (let each = 0; each < count && !cursor.isAtEnd; each++) segments.push(readSegment(cursor));
  }
  if (segments.length !== expected || cursor.at !== structure.length) return undefined;
  return segments
    .filter(({ lastPage }) => lastPage > 0)
    .sort((one, two) => one.firstOrigin - two.firstOrigin || one.id - two.id);
}

function readSegment(cursor: ByteCursor): Segment {
  const [id, firstPage, lastPage, firstOrigin] = [cursor.varint(), cursor.varint(), cursor.varint(), cursor.varint()];
  // The last transaction whose rows it contains.
  cursor.varint();
  const tombstonePages = cursor.varint();
  // How many rows were removed, and how many there are.
  cursor.varint();
  cursor.varint();
  return { id, firstPage, lastPage, firstOrigin, tombstonePages };
}

/** Adds the keys on a page of removed rows: a hash table of numbers of four or eight bytes, with 0 for a free place. */
export function addTombstones(page: Uint8Array, removed: Set<number>): void {
  const view = viewOf(page);
  const size = page[0] === 4 ? 4 : 8;
  for (let at = 8; at + size <= page.length; at += size) {
    const key = size === 4 ? view.getUint32(at) : Number(view.getBigUint64(at));
    if (key > 0) removed.add(key);
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
