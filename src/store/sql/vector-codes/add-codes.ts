import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries, SpaceRow } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes, toVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { codingOf } from './coding-of.ts';

interface NewVector {
  readonly key: number;
  readonly vector: Float32Array;
}

/** Stores vectors of chunks with their codes. Vectors that are stored already do not change. */
export async function storeVectors(database: Queries, spaceKey: number, vectors: readonly NewVector[]): Promise<void> {
  if (vectors.length === 0) return;
  // On SQLite, a trigger adds the codes, by a function that each connection registers.
  if (dialectOf(database).name === 'sqlite') {
    const rows = vectors.map(({ key, vector }) => ({
      space_key: spaceKey,
      chunk_key: key,
      vector: toVectorBytes(vector),
    }));
    await database
      .insertInto('chunk_vectors')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  const keys = vectors.map(({ key }) => key);
  const bytes = vectors.map(({ vector }) => toVectorBytes(vector));
  const codes = vectors.map(({ vector }) => codingOf(vector.length).encode(vector));
  await sql`
    with new as (
      select * from unnest(${keys}::bigint[], ${bytes}::bytea[], ${codes}::bytea[]) as r (chunk_key, vector, code)
    ), stored as (
      insert into chunk_vectors (space_key, chunk_key, vector) select ${spaceKey}, chunk_key, vector from new
      on conflict do nothing returning chunk_key
    )
    insert into vector_codes (space_key, chunk_key, code)
    select ${spaceKey}, chunk_key, code from new join stored using (chunk_key)`.execute(database);
}

/** Vectors read at a time, and codes stored per transaction. Coding them blocks the event loop for some 20 ms. */
const PAGE = 250;

/** Adds the codes of vectors that have none, such as those that a server of an earlier version stored. */
export async function addMissingCodes(
  { reader, writer }: Pick<Database, 'reader' | 'writer'>,
  space: Pick<SpaceRow, 'key' | 'dimensions'>,
  signal: AbortSignal,
): Promise<void> {
  if (dialectOf(reader).name === 'sqlite') return;
  const { encode } = codingOf(space.dimensions);
  for (let last = 0; !signal.aborted; ) {
    const { rows } = await sql<{ key: number; vector: Uint8Array }>`
      select v.chunk_key as key, v.vector from chunk_vectors v
      where v.space_key = ${space.key} and v.chunk_key > ${last} and not exists (
        select 1 from vector_codes c where c.space_key = v.space_key and c.chunk_key = v.chunk_key)
      order by v.chunk_key limit ${PAGE}`.execute(reader);
    const final = rows.at(-1);
    if (final === undefined) return;
    const keys = rows.map(({ key }) => key);
    const codes = rows.map(({ vector }) => encode(fromVectorBytes(vector)));
    // Other servers may have added the codes or removed the chunks meanwhile.
    await writer.transaction().execute((transaction) =>
      sql`
        insert into vector_codes (space_key, chunk_key, code)
        select v.space_key, v.chunk_key, r.code
        from unnest(${keys}::bigint[], ${codes}::bytea[]) as r (key, code)
        join chunk_vectors v on v.space_key = ${space.key} and v.chunk_key = r.key
        on conflict do nothing`.execute(transaction),
    );
    last = final.key;
  }
}
