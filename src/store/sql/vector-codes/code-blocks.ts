import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { blockAfter, CODES_AND_KEYS, lastKeyOf } from './code-ranges.ts';

/** Stores full blocks, to which no more codes are added, that are not stored yet or lost a code since they were. */
export async function storeCodeBlocks(
  { reader, writer }: Pick<Database, 'reader' | 'writer'>,
  { key: space }: Pick<SpaceRow, 'key'>,
  signal: AbortSignal,
): Promise<void> {
  const { rows: newest } = await sql<{ key: number | null }>`select max(key) as key from vector_codes`.execute(reader);
  const full = blockAfter(newest[0]?.key ?? 0);
  const { rows: known } = await sql<{ number: number }>`
    select number from vector_codes_blocks where space_key = ${space}`.execute(reader);
  const stored = new Set(known.map(({ number }) => number));
  for (let block = 0; block < full; block++) {
    if (stored.has(block)) continue;
    if (signal.aborted) return;
    await writer.transaction().execute(async (transaction) => {
      const [after, last] = [lastKeyOf(block - 1), lastKeyOf(block)];
      const { rows } = await sql<{ keys: string; codes: Uint8Array | null }>`
        select ${sql.raw(CODES_AND_KEYS)} from (select chunk_key, code from vector_codes not indexed
          where space_key = ${space} and key > ${after} and key <= ${last} order by key)`.execute(transaction);
      const [row] = rows;
      if (row === undefined || row.codes === null) return;
      const keys = new Uint8Array(Int32Array.from(JSON.parse(row.keys) as number[]).buffer);
      await sql`
        insert into vector_codes_blocks (space_key, number, keys, codes) values (${space}, ${block}, ${keys}, ${row.codes})
        on conflict do nothing`.execute(transaction);
    });
  }
}
