import { sql } from 'kysely';
import type { ReindexProgress } from '../../vector-spaces.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { embedStored, type FillSpace, readProgress, type UnembeddedChunk } from '../vector-spaces/fill-space.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { toVectorBytes } from '../vector-spaces/vector-bytes.ts';

const BATCH = 256;
const ROWS = 100;

/** Computes the vectors of chunks that only earlier versions have, so that these can be searched and restored. */
export async function* fillPast(parts: FillSpace): AsyncGenerator<ReindexProgress, void> {
  const { sqlite, space, signal } = parts;
  for (let last = 0; ; ) {
    signal.throwIfAborted();
    const chunks = await pastChunksWithout(sqlite.reader, space.key, last);
    const final = chunks.at(-1);
    if (final === undefined) return;
    const vectors = await embedStored(parts, chunks);
    await sqlite.writer.transaction().execute((transaction) => store(transaction, space.key, vectors));
    yield await readProgress(sqlite.reader, space.key);
    last = final.key;
  }
}

async function pastChunksWithout(database: Queries, spaceKey: number, after: number) {
  const { rows } = await sql<UnembeddedChunk>`
    select p.key, p.text, p.heading_path, p.context,
      (select v.title from version_chunks m join document_versions v on v.key = m.version_key
       where m.chunk_key = p.key limit 1) as title
    from past_chunks p where p.key > ${after} and not exists (
      select 1 from past_chunk_vectors v where v.space_key = ${spaceKey} and v.chunk_key = p.key
    ) order by p.key limit ${BATCH}`.execute(database);
  return rows;
}

async function store(database: Queries, spaceKey: number, vectors: ReadonlyMap<number, Float32Array>): Promise<void> {
  // A version may have been pruned or restored while its chunks were being embedded.
  const alive = await database
    .selectFrom('past_chunks')
    .select('key')
    .where('key', 'in', [...vectors.keys()])
    .execute();
  const rows = alive.flatMap(({ key }) => {
    const vector = vectors.get(key);
    return vector === undefined ? [] : [{ space_key: spaceKey, chunk_key: key, vector: toVectorBytes(vector) }];
  });
  for (const batch of inBatches(rows, ROWS)) {
    await database
      .insertInto('past_chunk_vectors')
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
