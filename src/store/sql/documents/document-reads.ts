import { writeFile } from 'node:fs/promises';
import { type Selectable, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Outline } from '../../../documents/document.ts';
import { withPlaces } from '../../../documents/places.ts';
import type { Corpus } from '../../corpus.ts';
import { analyseQuery } from '../../full-text/analyse.ts';
import type { Database } from '../database.ts';
import { filterToSql } from '../filters/to-sql.ts';
import { foundVisible, type OriginalRecords } from '../originals/original-records.ts';
import { type FindOriginal, type FoundOriginal, wantedBytes } from '../originals/record-pieces.ts';
import { toExtractedText, toOutline } from '../outline-rows.ts';
import { compileDocumentFilter } from '../search/compile-filter.ts';
import { dialectOf } from '../sql-dialect.ts';
import { eachRow } from '../sqlite/each-row.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { currentSpace, type Queries } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { toChunk } from './chunk-rows.ts';
import { findRow, toDocuments } from './document-rows.ts';
import type { ChunkTable } from './document-tables.ts';

/** The read operations of a corpus. */
export type DocumentReads = Pick<
  Corpus,
  | 'get'
  | 'list'
  | 'each'
  | 'findByContent'
  | 'bytesOf'
  | 'originalOf'
  | 'saveOriginal'
  | 'textOf'
  | 'outlinesOf'
  | 'chunksOf'
  | 'chunksById'
  | 'listChunks'
  | 'vectorsOf'
  | 'searchDocuments'
>;

const IDS_PER_QUERY = 1_000;

export function createDocumentReads(
  { reader, search, saveOriginal }: Database,
  originals: OriginalRecords,
): DocumentReads {
  /** Finds the file that was submitted last, even if it still waits to replace the visible content. */
  const findSubmitted =
    (id: string): FindOriginal =>
    async (wanted) => {
      const { rows } = await sql<FoundOriginal>`
        select ${wantedBytes(sql`f.bytes`, wanted)} as bytes, octet_length(f.bytes) as size, f.object,
          d.content_hash || coalesce(d.submitted, '') as identity
        from document_files f join documents d on d.key = f.document_key where d.id = ${id.toLowerCase()}`.execute(
        reader,
      );
      return rows[0];
    };
  /** Finds the file of the visible content. */
  const findVisible =
    (id: string): FindOriginal =>
    async (wanted) => {
      const { rows } = await sql<FoundOriginal>`
        select ${foundVisible(wanted)}, d.content_hash as identity from document_files f
        join documents d on d.key = f.document_key
        left join visible_originals o on o.document_key = f.document_key where d.id = ${id.toLowerCase()}`.execute(
        reader,
      );
      return rows[0];
    };
  return {
    async get(id) {
      const row = await findRow(reader, id);
      return row === undefined ? undefined : (await toDocuments(reader, [row]))[0];
    },

    list: (filter, { offset, limit }) =>
      // One transaction reads one state of the database, so that the count matches the page.
      reader.transaction().execute(async (transaction) => {
        const { total } = await transaction
          .selectFrom('documents as d')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where(filterToSql(filter, 'document', search.dialect.filters))
          .executeTakeFirstOrThrow();
        const rows = await transaction
          .selectFrom('documents as d')
          .selectAll()
          .where(filterToSql(filter, 'document', search.dialect.filters))
          .orderBy('d.created_at', 'desc')
          .orderBy('d.key', 'desc')
          .offset(offset)
          .limit(limit)
          .execute();
        return { items: await toDocuments(transaction, rows), total };
      }),

    each: (filter) =>
      eachRow(async (after, limit) => {
        const rows = await reader
          .selectFrom('documents as d')
          .selectAll()
          .where('d.key', '>', after)
          .where(filterToSql(filter, 'document', search.dialect.filters))
          .orderBy('d.key')
          .limit(limit)
          .execute();
        const documents = await toDocuments(reader, rows);
        return documents.map((item, index) => ({ key: rows[index]?.key ?? 0, item }));
      }),

    async findByContent(ownerId, contentHash) {
      const row = await reader
        .selectFrom('documents')
        .selectAll()
        .where('content_hash', '=', contentHash)
        .where('owner_id', '=', ownerId)
        .where('generation', '>', 0)
        // A document that is about to be replaced will not keep these bytes.
        .where('submitted', 'is', null)
        .orderBy('key')
        .executeTakeFirst();
      return row === undefined ? undefined : (await toDocuments(reader, [row]))[0];
    },

    bytesOf: (id) => originals.read(findSubmitted(id)),
    originalOf: (id) => originals.open(findVisible(id)),

    async saveOriginal(id, path) {
      const row = await reader
        .selectFrom('document_files as f')
        .innerJoin('documents as d', 'd.key', 'f.document_key')
        .select(['d.key', 'f.object'])
        .where('d.id', '=', id.toLowerCase())
        .executeTakeFirst();
      if (row === undefined) return false;
      if (row.object === null && saveOriginal !== undefined) return saveOriginal({ documentKey: row.key, path });
      const original = await originals.open(findSubmitted(id));
      if (original === undefined) return false;
      await writeFile(path, original.stream(), { mode: 0o600, flag: 'wx' });
      return true;
    },

    async textOf(id) {
      const row = await reader
        .selectFrom('document_texts as t')
        .innerJoin('documents as d', 'd.key', 't.document_key')
        .select(['t.text', 't.pages', 't.headings'])
        .where('d.id', '=', id.toLowerCase())
        .executeTakeFirst();
      return row && toExtractedText(row);
    },

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

    async searchDocuments({ text, filter, limit, offset }) {
      const query = { terms: analyseQuery(text), filter: compileDocumentFilter(search.dialect, filter), limit, offset };
      const { hits, total } = await search.call('documentFullText', query);
      if (hits.length === 0) return { items: [], total };
      const keys = hits.map(({ key }) => key);
      const rows = await reader.selectFrom('documents').selectAll().where('key', 'in', keys).execute();
      const documents = await toDocuments(reader, rows);
      const documentOf = new Map(rows.map((row, index) => [row.key, documents[index]]));
      const items = hits.flatMap(({ key, score }) => {
        const document = documentOf.get(key);
        // Empty when the document was removed between the two queries.
        return document === undefined ? [] : [{ ...document, score }];
      });
      return { items, total };
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
