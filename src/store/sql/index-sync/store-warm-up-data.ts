import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { storeCodeBlocks } from '../vector-codes/code-blocks.ts';
import { currentSpace } from '../vector-spaces/space-rows.ts';

/** Fewer changes than this since the last copy do not justify a new one: reading them is as fast. */
const CHANGES_BEHIND = 500;

/** Stores what the first searches of the next process will read, each as one value, if it is missing or outdated. */
export async function storeWarmUpData(database: Database, signal: AbortSignal): Promise<void> {
  if (database.search.dialect.name !== 'sqlite') return;
  await storeLengths(database, signal);
  const space = await currentSpace(database.reader);
  if (space !== undefined) await storeCodeBlocks(database, space, signal);
}

async function storeLengths({ reader, writer, search }: Database, signal: AbortSignal): Promise<void> {
  const { rows } = await sql<{ behind: number }>`
    select coalesce((select max(key) from full_text_changes), 0) - last_change as behind
    from full_text_lengths where name = 'chunk_terms'`.execute(reader);
  const behind = rows[0]?.behind ?? Number.POSITIVE_INFINITY;
  if (behind < CHANGES_BEHIND) return;
  const copied = await search.call('copyLengths', {}, signal);
  if (copied === null) return;
  const { lastChange, structure, lengths } = copied;
  await sql`
    insert into full_text_lengths (name, last_change, structure, lengths)
    values ('chunk_terms', ${lastChange}, ${structure}, ${lengths})
    on conflict (name) do update set last_change = excluded.last_change, structure = excluded.structure,
      lengths = excluded.lengths`.execute(writer);
}
