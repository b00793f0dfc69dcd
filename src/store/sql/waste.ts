import { sql } from 'kysely';
import type { Sqlite } from './sqlite/open-sqlite.ts';

/** Less waste than this does not justify rebuilding the index. */
const MIN_WASTE_BYTES = 16_000_000;
const MAX_SHARE = 3;
/** Size of an index entry besides the vector's components: links, label and length. */
const BYTES_PER_VECTOR = 160;

/** Whether index files of this size are mostly unused slots, compared with the vectors on record. */
export async function isMostlyWaste(sqlite: Pick<Sqlite, 'reader'>, bytes: number): Promise<boolean> {
  if (bytes < MIN_WASTE_BYTES) return false;
  const row = await sqlite.reader
    .selectFrom('chunk_vectors as v')
    .innerJoin('vector_spaces as s', 's.key', 'v.space_key')
    .select(sql<number>`coalesce(sum(s.dimensions * 4 + ${BYTES_PER_VECTOR}), 0)`.as('needed'))
    .executeTakeFirstOrThrow();
  return bytes > MIN_WASTE_BYTES + MAX_SHARE * row.needed;
}
