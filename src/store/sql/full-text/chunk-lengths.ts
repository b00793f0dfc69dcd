import { LruMap } from '../../../shared/lru-map.ts';
import { countKeys, type KeyRange } from '../sqlite/key-ranges.ts';
import type { PostingCache } from './posting-cache.ts';

export const termTables = ['chunk_terms', 'document_terms', 'past_chunk_terms', 'version_terms'] as const;
export type TermTable = (typeof termTables)[number];

/** Number of terms of each chunk in a full-text index. */
export interface ChunkLengths {
  /** By key; -1 where there is no chunk. */
  readonly lengths: Int32Array;
  readonly count: number;
  readonly mean: number;
  /** By key, scratch space for summing scores; must be reset to 0 after use. */
  readonly scores: Float64Array;
  /** Set if the lengths are those of the current state of an index. */
  readonly known?: KnownTerms;
  /** Postings of the current state of the index, if they are cached. */
  readonly postings?: PostingCache;
}

/** Cached statistics of an index's terms, cleared when the index changes. */
export interface KnownTerms {
  readonly occurrences: LruMap<string, number>;
  /** The number of chunks with a term. */
  readonly frequencies: LruMap<string, number>;
  /** The first term that sorts at or after a text. */
  readonly first: LruMap<string, string>;
  /** Corrections of words that no chunk has, by term and word; unset if the terms are read only in part. */
  readonly corrections?: LruMap<string, readonly string[]>;
}

/** Reads the lengths of one index over a connection, and caches them. */
export interface LengthsReader {
  /** Reads what has changed since the last call. Invalidates earlier results. */
  read(): ChunkLengths;
  /** The lengths as last read, to be stored for the next process. */
  copy(): StoredLengths;
}

/** The lengths of `chunk_terms` as one stored value, from which a new connection starts. */
export interface StoredLengths {
  /** Key of the last row of `full_text_changes` that the lengths include. */
  readonly lastChange: number;
  /** FTS5's structure record of the index, which changes with every write. */
  readonly structure: Uint8Array;
  /** 32-bit numbers, by key; -1 where there is no chunk. */
  readonly lengths: Uint8Array;
}

/** The rows of a query, as arrays. */
export type ReadRows = (sql: string, ...parameters: number[]) => readonly (readonly unknown[])[];

/** Number of terms cached, of some 100 bytes each. */
const TERMS_KEPT = 8_192;
/** A walk for a misspelt word takes up to 200 steps, many of which it shares with other walks. */
const MAX_CACHED_STEPS = 20_000;
/** Words whose corrections are cached. */
const MAX_CACHED_CORRECTIONS = 1_000;

/** Beyond this share of all chunks, reading everything is not slower. */
const MAX_SHARE_RENEWED = 0.25;

/** Keeps `postings` in step with the lengths. */
export function createLengthsReader(rows: ReadRows, table: TermTable, postings?: PostingCache): LengthsReader {
  let lengths = new Int32Array(0);
  let scores = new Float64Array(0);
  let count = 0;
  let total = 0;
  let structure: Buffer | undefined;
  let lastChange = 0;
  const known: KnownTerms = {
    occurrences: new LruMap({ max: TERMS_KEPT }),
    frequencies: new LruMap({ max: TERMS_KEPT }),
    first: new LruMap({ max: MAX_CACHED_STEPS }),
    corrections: new LruMap<string, readonly string[]>({ max: MAX_CACHED_CORRECTIONS }),
  };

  const set = (key: number, length: number) => {
    const before = lengths[key] ?? -1;
    if (before >= 0) total -= before;
    if (length >= 0) total += length;
    count += Number(length >= 0) - Number(before >= 0);
    lengths[key] = length;
  };

  const readAll = () => {
    const [keys, sizes, largest] = rows(`${SIZES} from ${table}_docsize`)[0] ?? [];
    lengths = new Int32Array(Number(largest ?? -1) + 1).fill(-1);
    scores = new Float64Array(lengths.length);
    count = 0;
    total = 0;
    forEachSize(keys, sizes, set);
  };

  const renew = ([first, last]: KeyRange) => {
    const [keys, sizes, largest] =
      rows(`${SIZES} from ${table}_docsize where id between ? and ?`, first, last)[0] ?? [];
    grow(Number(largest ?? -1) + 1);
    for (let key = first; key <= last && key < lengths.length; key++) if ((lengths[key] ?? -1) >= 0) set(key, -1);
    forEachSize(keys, sizes, set);
  };

  // Starts from the stored lengths of an earlier state of the index; later changes are read like any other changes.
  const start = () => {
    if (table !== 'chunk_terms') return;
    const [change, known, bytes] =
      rows(`select last_change, structure, lengths from full_text_lengths where name = '${table}'`)[0] ?? [];
    if (!(known instanceof Uint8Array && bytes instanceof Uint8Array)) return;
    lengths = new Int32Array(bytes.slice().buffer);
    scores = new Float64Array(lengths.length);
    for (const length of lengths) {
      if (length < 0) continue;
      count++;
      total += length;
    }
    lastChange = Number(change);
    // The stored record is no proof after a change: an index that was emptied and filled again can have the same one.
    if (lastChange === latestChange()) structure = Buffer.from(known);
    else structure = Buffer.alloc(0);
  };

  const latestChange = () => Number(rows('select max(key) from full_text_changes')[0]?.[0] ?? 0);

  const grow = (needed: number) => {
    if (needed <= lengths.length) return;
    const larger = new Int32Array(Math.ceil(needed * GROWTH)).fill(-1);
    larger.set(lengths);
    lengths = larger;
    scores = new Float64Array(larger.length);
  };

  // Undefined if there are too many changes, or they are no longer recorded.
  const changedRanges = (): KeyRange[] | undefined => {
    if (table !== 'chunk_terms' || structure === undefined) return undefined;
    const changes = rows(
      'select key, first_chunk, last_chunk from full_text_changes where key > ? order by key',
      lastChange,
    );
    const isComplete = changes.length > 0 && Number(changes[0]?.[0]) === lastChange + 1;
    const ranges = changes.map(([, first, last]): KeyRange => [Number(first), Number(last)]);
    return isComplete && countKeys(ranges) <= count * MAX_SHARE_RENEWED ? ranges : undefined;
  };

  return {
    read() {
      // FTS5 writes this record in every transaction that adds or removes an entry.
      if (structure === undefined) start();
      const now = Buffer.from(rows(`select block from ${table}_data where id = 10`)[0]?.[0] as Uint8Array);
      if (structure === undefined || !now.equals(structure)) {
        const ranges = changedRanges();
        if (ranges === undefined) {
          readAll();
          postings?.clear();
        } else {
          for (const range of ranges) renew(range);
          postings?.noteChanges(ranges);
        }
        structure = now;
        for (const terms of Object.values(known)) terms.clear();
        if (table === 'chunk_terms') lastChange = latestChange();
      }
      return { lengths, scores, count, mean: count === 0 ? 0 : total / count, known, ...(postings && { postings }) };
    },
    copy() {
      let size = lengths.length;
      while (size > 0 && (lengths[size - 1] ?? -1) < 0) size--;
      const copied = new Uint8Array(lengths.slice(0, size).buffer);
      return { lastChange, structure: Uint8Array.from(structure ?? []), lengths: copied };
    },
  };
}

/** Leaves room for new chunks, so that not every new chunk copies all lengths. */
const GROWTH = 1.1;

// Reads the table in which FTS5 keeps the sizes, one varint per column. One string is read faster than many rows.
const SIZES = 'select json_group_array(id), group_concat(hex(sz)), max(id)';

function forEachSize(keys: unknown, sizes: unknown, visit: (key: number, length: number) => void): void {
  if (typeof sizes !== 'string') return;
  let at = 0;
  for (const key of JSON.parse(String(keys)) as number[]) {
    const comma = sizes.indexOf(',', at);
    const end = comma < 0 ? sizes.length : comma;
    visit(key, sumOfVarints(sizes, at, end));
    at = end + 1;
  }
}

// Sums SQLite's variable-length integers in hexadecimal: seven bits per byte, the highest bit marks a continuation.
function sumOfVarints(hex: string, start: number, end: number): number {
  let sum = 0;
  let value = 0;
  for (let at = start; at < end; at += 2) {
    const byte = (digit(hex, at) << 4) | digit(hex, at + 1);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      sum += value;
      value = 0;
    }
  }
  return sum;
}

function digit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 58 ? code - 48 : code - 55;
}
