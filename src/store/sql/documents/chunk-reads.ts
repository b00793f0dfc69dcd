import { type Selectable, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Outline } from '../../../documents/document.ts';
import { withPlaces } from '../../../documents/places.ts';
import type { Corpus } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { filterToSql } from '../filters/to-sql.ts';
import { toOutline } from '../outline-rows.ts';
import { dialectOf } from '../sql-dialect.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { currentSpace, type Queries } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { toChunk } from './chunk-rows.ts';
import { findRow, toDocuments } from './document-rows.ts';
import type { ChunkTable } from './document-tables.ts';

/** The operations of a corpus that read chunks, and the outlines that place them in their documents. */
export type ChunkReads = Pick<Corpus, 'outlinesOf' | 'chunksOf' | 'chunksById' | 'listChunks' | 'vectorsOf'>;

const IDS_PER_QUERY = 1_000;

export function createChunkReads({ reader, search }: Database): ChunkReads {
  return {
    outlinesOf: (ids) => outlinesOf(reader, ids),

    chunksOf: (id, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, id);
        if (row === undefined) return { items: [], total: 0 };
        // Metadata of a pending replacement does not apply to the chunks that are still visible.
        const [parent] = await toDocuments(transaction, [{ ...row, submitted: null }]);
        const chunks = await transaction
          .selectFrom('chunks')
          .selectAll()
          .where('document_key', '=', row.key)
          .where('generation', '=', row.generation)
          .orderBy('ordinal')
          .offset(offset)
          .limit(limit)
          .execute();
        if (parent === undefined) return { items: [], total: row.chunk_count };
        const outline = (await outlinesOf(transaction, [id])).get(parent.id);
        const items = chunks.map((chunk) => withPlaces(toChunk(chunk, parent), outline));
        return { items, total: row.chunk_count };
      }),

    chunksById: (ids) => search.call('readChunksById', { ids }),

    listChunks: (filter, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        const matches = filterToSql(filter, 'chunk', search.dialect.filters);
        const { total } = await visibleChunks(transaction)
          .clearSelect()
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where(matches)
          .executeTakeFirstOrThrow();
        const rows = await visibleChunks(transaction)
          .where(matches)
          .orderBy('c.document_key')
          .orderBy('c.ordinal')
          .offset(offset)
          .limit(limit)
          .execute();
        return { items: await withParents(transaction, rows), total };
      }),

    async vectorsOf(chunkIds) {
      const vectors = new Map<string, Float32Array>();
      const space = await currentSpace(reader);
      if (space === undefined) return vectors;
      for (const ids of inBatches(chunkIds, IDS_PER_QUERY)) {
        const rows = await reader
          .selectFrom('chunks as c')
          .innerJoin('chunk_vectors as v', 'v.chunk_key', 'c.key')
          .select(['c.id', 'v.vector'])
          .where('v.space_key', '=', space.key)
          .where('c.id', 'in', ids)
          .execute();
        for (const { id, vector } of rows) vectors.set(id, fromVectorBytes(vector));
      }
      return vectors;
    },
  };
}

async function outlinesOf(database: Queries, ids: readonly string[]): Promise<Map<string, Outline>> {
  const { prepared, texts } = dialectOf(database);
  const outlines = new Map<string, Outline>();
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  for (const batch of inBatches(wanted, IDS_PER_QUERY)) {
    const { rows } = await sql<{ id: string; pages: string; headings: string }>`${prepared}
      select d.id, t.pages, t.headings from document_texts t join documents d on d.key = t.document_key
      where d.id in ${texts(batch)}`.execute(database);
    for (const row of rows) outlines.set(row.id, toOutline(row));
  }
  return outlines;
}

const visibleChunks = (database: Queries) =>
  database
    .selectFrom('chunks as c')
    .innerJoin('documents as d', (join) =>
      join.onRef('d.key', '=', 'c.document_key').onRef('d.generation', '=', 'c.generation'),
    )
    .selectAll('c')
    .where('d.generation', '>', 0);

/**
 * Chunks with their inherited fields, in order. Metadata of a pending replacement does not apply to the visible chunks.
 */
async function withParents(database: Queries, rows: readonly Selectable<ChunkTable>[]): Promise<Chunk[]> {
  const keys = [...new Set(rows.map((row) => row.document_key))];
  if (keys.length === 0) return [];
  const parents = await database.selectFrom('documents').selectAll().where('key', 'in', keys).execute();
  const documents = await toDocuments(
    database,
    parents.map((row) => ({ ...row, submitted: null })),
  );
  const parentOf = new Map(parents.map((row, index) => [row.key, documents[index]]));
  return rows.flatMap((row) => {
    const parent = parentOf.get(row.document_key);
    return parent === undefined ? [] : [toChunk(row, parent)];
  });
}
