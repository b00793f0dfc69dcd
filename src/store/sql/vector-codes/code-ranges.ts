/** Successive keys of codes that are stored in one piece. The trigger of step 0024 names the number as well. */
const CODES_PER_BLOCK = 8_192;

/** The block that the first code after this key is in. */
export const blockAfter = (key: number): number => Math.floor(key / CODES_PER_BLOCK);
export const lastKeyOf = (block: number): number => (block + 1) * CODES_PER_BLOCK;

// One value for all is read several times faster than rows. As text, the bytes of a blob stay as they are. Without
// statistics, SQLite would take the index on spaces, and read and sort the codes of all chunks each time.
export const CODES_AND_KEYS = "json_group_array(chunk_key) as keys, cast(group_concat(code, '') as blob) as codes";
const fromRange = 'vector_codes not indexed where space_key = ? and key > ? and key <= ? order by key';
export const CODES_IN_RANGE = `select ${CODES_AND_KEYS} from (select chunk_key, code from ${fromRange})`;
