/**
 * Number of successive keys whose codes are stored as one block. A trigger of migration step 0024 repeats the number.
 */
const CODES_PER_BLOCK = 8_192;

/** The block of the first code after this key. */
export const blockAfter = (key: number): number => Math.floor(key / CODES_PER_BLOCK);
export const lastKeyOf = (block: number): number => (block + 1) * CODES_PER_BLOCK;

// One concatenated value is read several times faster than many rows. Concatenation as text does not change the bytes
// of blobs. `not indexed`, because without statistics, SQLite would use the index on spaces, and read and sort the
// codes of all chunks each time.
export const CODES_AND_KEYS = "json_group_array(chunk_key) as keys, cast(group_concat(code, '') as blob) as codes";
const fromRange = 'vector_codes not indexed where space_key = ? and key > ? and key <= ? order by key';
export const CODES_IN_RANGE = `select ${CODES_AND_KEYS} from (select chunk_key, code from ${fromRange})`;
