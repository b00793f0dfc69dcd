import type { Reading } from '../search/read-snapshot.ts';
import { codingOf } from './coding-of.ts';

/** Which codes to read: those of a space that were added after the one with this key, up to a number. */
export interface CodesWanted {
  readonly space: { readonly key: number; readonly dimensions: number };
  readonly after: number;
  readonly limit: number;
}

export interface CodesRead {
  /** Of the chunks, in the order of `codes`. */
  readonly keys: Int32Array;
  /** One after another. */
  readonly codes: Uint8Array;
  /** Key of the last code; that asked for when there are no more. */
  readonly last: number;
  /** Codes of another series do not continue these: the database may have lost the last ones. */
  readonly series: number;
}

// One value for all is read several times faster than rows. As text, the bytes of a blob stay as they are. Without
// statistics, SQLite would take the index on spaces, and read and sort the codes of all chunks each time.
const CODES = `select json_group_array(chunk_key), cast(group_concat(code, '') as blob), max(key)
  from (select key, chunk_key, code from vector_codes not indexed where space_key = ? and key > ? order by key limit ?)`;

export function readCodes(reading: Reading, { space, after, limit }: CodesWanted): CodesRead {
  const [keys, codes, last] = reading.row(CODES, space.key, after, limit) ?? [];
  const chunks = Int32Array.from(JSON.parse(String(keys ?? '[]')) as number[]);
  const isWhole = codes instanceof Uint8Array && codes.length === chunks.length * codingOf(space.dimensions).bytes;
  if (!isWhole) return { keys: new Int32Array(0), codes: new Uint8Array(0), last: after, series: 0 };
  return { keys: chunks, codes, last: Number(last), series: 0 };
}
