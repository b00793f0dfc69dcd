import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Outline } from '../../../documents/document.ts';
import { newestFirst } from '../../../documents/document-order.ts';
import { withPlaces } from '../../../documents/places.ts';
import type { CorpusView } from '../../corpus.ts';
import { analyseQuery } from '../../full-text/analyse.ts';
import type { Database } from '../database.ts';
import { type ChunkRow, toChunk } from '../documents/chunk-rows.ts';
import { orderTerms } from '../documents/document-order.ts';
import { toDocuments } from '../documents/document-rows.ts';
import { filterToSql } from '../filters/to-sql.ts';
import type { OriginalRecords } from '../originals/original-records.ts';
import type { FindOriginal } from '../originals/record-pieces.ts';
import { compileDocumentFilter } from '../search/compile-filter.ts';
import { VERSION_CHUNKS } from '../search/past-tables.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { documentsAsOf, type RowAsOf, rowAsOf } from './row-as-of.ts';
import { originalAsOf, readChunksAsOf, textAsOf } from './version-content.ts';

const IDS_PER_QUERY = 500;

/** The corpus as of a point in time. */
export function createPastReads({ reader, search }: Database, originals: OriginalRecords, asOf: string): CorpusView {
  const then = { asOf };

  const findIn =
    (id: string): FindOriginal =>
    async (wanted) => {
      const row = await rowAsOf(reader, id, then);
      return row && originalAsOf(reader, row, wanted);
    };

  async function chunksAmong(database: Queries, ids: readonly string[]): Promise<Chunk[]> {
    const wanted = sql.join(ids.map((id) => id.toLowerCase()));
    const select = (chunks: RawBuilder<unknown>) => sql<ChunkRow & { version_key: number; document_key: number }>`
      select c.*, d.key as document_key, d.version_key from (${documentsAsOf(asOf)}) d ${search.dialect.joinInOrder} ${chunks}
      where c.id in (${wanted})`;
    const { rows: stayed } = await select(
      sql`chunks c on d.version_key = 0 and c.document_key = d.key and c.generation = d.generation`,
    ).execute(database);
    const { rows: gone } = await select(
      sql`(${sql.raw(VERSION_CHUNKS)}) c on c.version_key = d.version_key and d.version_key > 0`,
    ).execute(database);
    const found = [...stayed, ...gone];
    const parents = await documentsByKey(database, [...new Set(found.map((row) => row.document_key))]);
    return found.flatMap((row) => {
      const parent = parents.get(row.document_key);
      return parent === undefined ? [] : [toChunk(row, parent)];
    });
  }

  async function outlinesAmong(database: Queries, ids: readonly string[]): Promise<Map<string, Outline>> {
    const outlines = new Map<string, Outline>();
    for (const id of new Set(ids)) {
      const row = await rowAsOf(database, id, then);
      const outline = row && (await textAsOf(database, row));
      if (outline !== undefined) outlines.set(id, outline);
    }
    return outlines;
  }

  async function documentsByKey(database: Queries, keys: readonly number[]) {
    if (keys.length === 0) return new Map();
    const { rows } = await sql<RowAsOf>`
      select * from (${documentsAsOf(asOf)}) d where d.key in (${sql.join(keys)})`.execute(database);
    const documents = await toDocuments(database, rows);
    return new Map(rows.map((row, index) => [row.key, documents[index]]));
  }

  return {
    async get(id) {
      const row = await rowAsOf(reader, id, then);
      return row && (await toDocuments(reader, [row]))[0];
    },

    list: (filter, { offset, limit, order = newestFirst }) =>
      reader.transaction().execute(async (transaction) => {
        const fitting = sql`from (${documentsAsOf(asOf)}) d where ${filterToSql(filter, 'document', search.dialect.filters)}`;
        const counted = await sql<{ total: number }>`select count(*) as total ${fitting}`.execute(transaction);
        const { rows } = await sql<RowAsOf>`
          select * ${fitting} order by ${sql.join(orderTerms(order, search.dialect))}
          limit ${limit} offset ${offset}`.execute(transaction);
        return { items: await toDocuments(transaction, rows), total: counted.rows[0]?.total ?? 0 };
      }),

    bytesOf: (id) => originals.read(findIn(id)),
    originalOf: (id) => originals.open(findIn(id)),

    async textOf(id) {
      const row = await rowAsOf(reader, id, then);
      return row && textAsOf(reader, row);
    },

    outlinesOf: (ids) => outlinesAmong(reader, ids),

    chunksOf: (id, page) =>
      reader.transaction().execute(async (transaction) => {
        const row = await rowAsOf(transaction, id, then);
        return row === undefined ? { items: [], total: 0 } : readChunksAsOf(transaction, row, page);
      }),

    chunksById: (ids) =>
      reader.transaction().execute(async (transaction) => {
        const found: Chunk[] = [];
        for (const batch of inBatches(ids, IDS_PER_QUERY)) found.push(...(await chunksAmong(transaction, batch)));
        const documents = found.map(({ documentId }) => documentId);
        const outlines = await outlinesAmong(transaction, documents);
        return found.map((chunk) => withPlaces(chunk, outlines.get(chunk.documentId)));
      }),

    async searchDocuments({ text, filter, limit, offset }) {
      const query = {
        terms: analyseQuery(text),
        filter: compileDocumentFilter(search.dialect, filter),
        limit,
        offset,
        at: asOf,
      };
      const { hits, total } = await search.call('documentFullText', query);
      const documents = await documentsByKey(
        reader,
        hits.map(({ key }) => key),
      );
      const items = hits.flatMap(({ key, score }) => {
        const document = documents.get(key);
        return document === undefined ? [] : [{ ...document, score }];
      });
      return { items, total };
    },
  };
}
