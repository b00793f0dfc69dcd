import type { Reading } from '../search/read-snapshot.ts';
import { blockAfter, CODES_IN_RANGE, lastKeyOf } from './code-ranges.ts';
import { codingOf } from './coding-of.ts';

/** Which codes of a space to read: those added after the key `after`. */
export interface CodesWanted {
  readonly space: { readonly key: number; readonly dimensions: number };
  readonly after: number;
  /** Number of codes after which no more are read, except for the rest of a block. */
  readonly limit: number;
}

export interface CodesRead {
  /** Keys of the chunks, in the order of `codes`. */
  readonly keys: Int32Array;
  /** The concatenated codes. */
  readonly codes: Uint8Array;
  /** Key up to which the codes have been read. */
  readonly last: number;
  /** Codes of another series do not continue these: the database may have lost the latest ones. */
  readonly series: number;
  /** Whether there are no more. */
  readonly isEnd: boolean;
}

const RANGE = 'select (select min(key) from vector_codes where key > ?), (select max(key) from vector_codes)';
const BLOCK = 'select keys, codes from vector_codes_blocks where space_key = ? and number = ?';

const none = () => ({ keys: new Int32Array(0), codes: new Uint8Array(0), series: 0 });

/** Reads the codes block by block. */
export function readCodes(reading: Reading, { space, after, limit }: CodesWanted): CodesRead {
  const first = readBlock(reading, space, after);
  const parts = [first];
  let count = first.keys.length;
  for (let part = first; !part.isEnd && count < limit; ) {
    part = readBlock(reading, space, part.last);
    parts.push(part);
    count += part.keys.length;
  }
  const { last, isEnd } = parts.at(-1) ?? first;
  if (parts.length === 1) return first;
  const keys = new Int32Array(count);
  let place = 0;
  for (const part of parts) {
    keys.set(part.keys, place);
    place += part.keys.length;
  }
  const codes = Uint8Array.from(Buffer.concat(parts.map((part) => part.codes)));
  return { keys, codes, last, isEnd, series: 0 };
}

/** Reads the codes after a key to the end of a block, as one value if the block is stored. */
function readBlock(reading: Reading, space: CodesWanted['space'], after: number): CodesRead {
  const [first, newest] = reading.row(RANGE, after) ?? [];
  if (typeof first !== 'number') return { ...none(), last: after, isEnd: true };
  const block = blockAfter(first - 1);
  const end = lastKeyOf(block);
  const last = Math.min(end, Number(newest));
  const isEnd = last === newest;
  const isWhole = after <= lastKeyOf(block - 1);
  const [keys, codes] = isWhole ? (reading.row(BLOCK, space.key, block) ?? []) : [];
  if (keys instanceof Uint8Array && codes instanceof Uint8Array) {
    return { keys: new Int32Array(keys.slice().buffer), codes, last, isEnd, series: 0 };
  }
  const [listed, bytes] = reading.row(CODES_IN_RANGE, space.key, after, last) ?? [];
  const chunks = Int32Array.from(JSON.parse(String(listed ?? '[]')) as number[]);
  if (!(bytes instanceof Uint8Array && bytes.length === chunks.length * codingOf(space.dimensions).bytes)) {
    return { ...none(), last, isEnd };
  }
  return { keys: chunks, codes: bytes, last, isEnd, series: 0 };
}
