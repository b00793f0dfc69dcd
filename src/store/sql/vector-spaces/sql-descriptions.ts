import { sql } from 'kysely';
import type { Document } from '../../../documents/document.ts';
import type { Description, DescriptionSearch, DescriptionVectors } from '../../description-records.ts';
import { analyseQuery } from '../../full-text/analyse.ts';
import { isSameSpace } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import { toDocuments } from '../documents/document-rows.ts';
import { compileDocumentFilter } from '../search/compile-filter.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { documentsAsOf, type RowAsOf } from '../versions/row-as-of.ts';
import { currentSpace, type Queries } from './space-rows.ts';
import { fromVectorBytes, toVectorBytes } from './vector-bytes.ts';

const IDS_PER_QUERY = 500;

/** Descriptions without a vector in the space, of visible documents first, then of earlier versions. */
export async function unembeddedDescriptions(database: Queries, space: number, max: number): Promise<Description[]> {
  const { rows } = await sql<Description>`
    select 'document' as "of", key, title, summary from documents d
    where generation > 0 and not exists (
      select 1 from document_vectors v where v.space_key = ${space} and v.described_key = d.key)
    union all
    select 'version' as "of", key, title, summary from document_versions d
    where retired_at is null and not exists (
      select 1 from version_vectors v where v.space_key = ${space} and v.described_key = d.key)
    limit ${max}`.execute(database);
  return rows;
}

export async function keepDescriptionVectors(
  database: Queries,
  space: number,
  described: Parameters<DescriptionVectors['keep']>[1],
): Promise<void> {
  for (const { description, vector } of described) {
    const { of, key, title, summary } = description;
    const [table, owner] =
      of === 'document' ? ['document_vectors', 'documents'] : ['version_vectors', 'document_versions'];
    await sql`
      insert into ${sql.table(table)} (space_key, described_key, vector)
      select ${space}, key, ${toVectorBytes(vector)} from ${sql.table(owner)}
      where key = ${key} and title = ${title} and summary is not distinct from ${summary}
      on conflict do nothing`.execute(database);
  }
}

export function createDescriptionVectors({ reader, writer }: Database): DescriptionVectors {
  return {
    async unembedded(name, max) {
      const space = await currentSpace(reader);
      return space === undefined || !isSameSpace(space, name) ? [] : unembeddedDescriptions(reader, space.key, max);
    },

    async keep(name, described) {
      await writer.transaction().execute(async (transaction) => {
        const space = await currentSpace(transaction);
        // The corpus moved to another embedder meanwhile; its descriptions are embedded again.
        if (space === undefined || !isSameSpace(space, name)) return;
        await keepDescriptionVectors(transaction, space.key, described);
      });
    },

    async vectorsOf(ids) {
      const vectors = new Map<string, Float32Array>();
      const space = await currentSpace(reader);
      if (space === undefined) return vectors;
      for (const batch of inBatches(ids, IDS_PER_QUERY)) {
        const rows = await reader
          .selectFrom('documents as d')
          .innerJoin('document_vectors as v', 'v.described_key', 'd.key')
          .select(['d.id', 'v.vector'])
          .where('v.space_key', '=', space.key)
          .where('d.id', 'in', batch)
          .execute();
        for (const { id, vector } of rows) vectors.set(id, fromVectorBytes(vector));
      }
      return vectors;
    },
  };
}

/** Search over descriptions in the reader threads. */
export function createDescriptionSearch({ reader, search }: Database): DescriptionSearch {
  return {
    async rank({ text, near, filter, asOf, limits, signal }) {
      const query = {
        terms: analyseQuery(text),
        near,
        filter: compileDocumentFilter(search.dialect, filter),
        at: asOf,
        limits,
      };
      return search.call('rankDescriptions', query, signal);
    },

    async read(keys, asOf) {
      const found = new Map<number, Document>();
      for (const batch of inBatches(keys, IDS_PER_QUERY)) {
        const rows =
          asOf === undefined
            ? await reader.selectFrom('documents').selectAll().where('key', 'in', batch).execute()
            : (
                await sql<RowAsOf>`select * from (${documentsAsOf(asOf)}) d where d.key in (${sql.join(batch)})`.execute(
                  reader,
                )
              ).rows;
        const documents = await toDocuments(reader, rows);
        for (const [index, row] of rows.entries()) {
          const document = documents[index];
          if (document !== undefined) found.set(row.key, document);
        }
      }
      return found;
    },
  };
}
