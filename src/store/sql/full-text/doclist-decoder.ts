import { ByteCursor } from './byte-cursor.ts';
import type { DoclistPart } from './fts5-page.ts';
import type { PostingList } from './postings.ts';

/** Before the number of a column in a list of positions. Positions are stored with 2 added to them. */
const COLUMN = 1;

/**
 * Decodes the entries ("doclist") of a term in one segment of an FTS5 index with two columns, title and body, page by
 * page. An entry is the difference between the row's key and the one before, twice the length of the list of positions,
 * and this list, which may continue on the next page. The first key on a page is stored as such.
 */
export class DoclistDecoder {
  readonly #found: PostingList;
  readonly #removed: ReadonlySet<number> | undefined;
  #key = 0;
  #titles = 0;
  #bodies = 0;
  /** Bytes of the list of positions that are still to come. */
  #left = 0;
  #isInBody = false;
  /** Whether the next byte is the number of a column. */
  #startsColumn = false;

  /** Entries of rows in `removed` are left out. */
  constructor(found: PostingList, removed: ReadonlySet<number> | undefined) {
    this.#found = found;
    this.#removed = removed;
  }

  /** Reads the entries on a page. False if the bytes are no such entries. */
  read(page: Uint8Array, { start, end }: DoclistPart): boolean {
    const cursor = new ByteCursor(page, start);
    let previous = 0;
    while (cursor.at < end) {
      if (this.#left === 0) {
        this.#key = previous + cursor.varint();
        const size = cursor.varint();
        // An odd size marks a removal, which tables with tombstones do not contain.
        if (this.#key <= previous || size < 2 || size % 2 !== 0) return false;
        previous = this.#key;
        this.#left = size / 2;
      }
      this.#countPositions(cursor, Math.min(end, cursor.at + this.#left));
      if (this.#left === 0) this.#add();
    }
    return cursor.at === end;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  #countPositions(cursor: ByteCursor, end: number): void {
    const { bytes } = cursor;
    let { at } = cursor;
    let count = 0;
    this.#left -= end - at;
    while (at < end) {
      const byte = bytes[at++] ?? 0;
      if (this.#startsColumn) {
        this.#isInBody = byte > 0;
        this.#startsColumn = false;
      } else if (byte === COLUMN) {
        this.#note(count);
        count = 0;
        this.#startsColumn = true;
      } else {
        count++;
        if (byte >= 0x80) while ((bytes[at++] ?? 0) >= 0x80);
      }
    }
    this.#note(count);
    cursor.at = at;
  }

  #note(positions: number): void {
    if (this.#isInBody) this.#bodies += positions;
    else this.#titles += positions;
  }

  #add(): void {
    if (!this.#removed?.has(this.#key)) this.#found.add(this.#key, this.#titles, this.#bodies);
    this.#titles = 0;
    this.#bodies = 0;
    this.#isInBody = false;
  }
}
