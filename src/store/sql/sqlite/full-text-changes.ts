import { type RawBuilder, sql } from 'kysely';
import type { IndexTable } from '../full-text/full-text-tables.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** A reader that missed more changes than this reads everything again, which costs about as much. */
const CHANGES_KEPT = 1_000;

/**
 * Records that this transaction adds or removes chunks' entries in the full-text index. `keys` selects the chunks' keys
 * as `key`; only their range is stored, and a reader looks at everything in it.
 */
export async function noteChange(database: Queries, table: IndexTable, keys: RawBuilder<unknown>): Promise<void> {
  if (table !== 'chunk_terms') return;
  const noted = await sql`
    insert into full_text_changes (first_chunk, last_chunk)
    select min(key), max(key) from (${keys}) having min(key) is not null`.execute(database);
  if (noted.insertId === undefined || noted.numAffectedRows === 0n) return;
  await sql`delete from full_text_changes where key <= ${noted.insertId - BigInt(CHANGES_KEPT)}`.execute(database);
}
