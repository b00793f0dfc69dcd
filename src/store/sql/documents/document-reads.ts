import { sql } from 'kysely';
import type { Document } from '../../../documents/document.ts';
import { newestFirst } from '../../../documents/document-order.ts';
import type { Corpus } from '../../corpus.ts';
import { analyseQuery } from '../../full-text/analyse.ts';
import type { Database } from '../database.ts';
import { filterToSql } from '../filters/to-sql.ts';
import { toExtractedText } from '../outline-rows.ts';
import { compileDocumentFilter } from '../search/compile-filter.ts';
import { eachRow } from '../sqlite/each-row.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { orderTerms } from './document-order.ts';
import { findRow, toDocuments } from './document-rows.ts';

/** The operations of a corpus that read and find documents. */
export type DocumentReads = Pick<Corpus, 'get' | 'list' | 'each' | 'findByContent' | 'textOf' | 'searchDocuments'>;

export function createDocumentReads({ reader, search }: Database): DocumentReads {
  return {
    async get(id) {
      const row = await findRow(reader, id);
      return row === undefined ? undefined : (await toDocuments(reader, [row]))[0];
    },

    list: (filter, { offset, limit, order = newestFirst }) =>
      // One transaction reads one state of the database, so that the count matches the page.
      reader.transaction().execute(async (transaction) => {
        const { total } = await transaction
          .selectFrom('documents as d')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where(filterToSql(filter, 'document', search.dialect.filters))
          .executeTakeFirstOrThrow();
        // Only the keys are sorted, and for most filters read from an index: the rows before the page may be many.
        const keys = await transaction
          .selectFrom('documents as d')
          .select('d.key')
          .where(filterToSql(filter, 'document', search.dialect.filters))
          .orderBy(sql`${sql.join(orderTerms(order, search.dialect))}`)
          .offset(offset)
          .limit(limit)
          .execute();
        return { items: await readDocuments(transaction, keys), total };
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

    async textOf(id) {
      const row = await reader
        .selectFrom('document_texts as t')
        .innerJoin('documents as d', 'd.key', 't.document_key')
        .select(['t.text', 't.pages', 't.headings'])
        .where('d.id', '=', id.toLowerCase())
        .executeTakeFirst();
      return row && toExtractedText(row);
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

/** The documents with these keys, in this order. */
async function readDocuments(database: Queries, keys: readonly { readonly key: number }[]): Promise<Document[]> {
  if (keys.length === 0) return [];
  const among = keys.map(({ key }) => key);
  const rows = await database.selectFrom('documents').selectAll().where('key', 'in', among).execute();
  const rowOf = new Map(rows.map((row) => [row.key, row]));
  return toDocuments(
    database,
    among.flatMap((key) => rowOf.get(key) ?? []),
  );
}
