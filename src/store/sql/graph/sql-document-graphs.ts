import { sql } from 'kysely';
import type { DocumentGraphRecords, ExtractedGraph } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { findRow } from '../documents/document-rows.ts';
import { readExtractionChunks } from './extraction-chunks.ts';
import { createExtractionQueue } from './extraction-queue.ts';
import { mergeDocumentGraph } from './merge-document-graph.ts';

/** DocumentGraphRecords in the record store, including the queue of pending extractions. */
export function createDocumentGraphs(database: Database): DocumentGraphRecords {
  const { reader, writer, search } = database;
  const { joinInOrder } = search.dialect;
  return {
    ...createExtractionQueue(database),

    async mergeRemaining(signal) {
      const { rows } = await sql<{ id: string; key: number }>`
        select c.id, g.document_key as key from document_graphs g
        ${joinInOrder} document_collections dc on dc.document_key = g.document_key
        ${joinInOrder} collections c on c.id = dc.collection_id
        where g.extracted_at is not null
          and not exists (select 1 from graph_documents p where p.collection_id = c.id and p.document_key = g.document_key)
          and not exists (
            select 1 from graph_exclusions x where x.collection_id = c.id and x.document_key = g.document_key)`.execute(
        reader,
      );
      for (const { id, key } of rows) {
        signal.throwIfAborted();
        await writer.transaction().execute(async (transaction) => {
          const { rows: still } = await sql`
            select 1 from document_collections where collection_id = ${id} and document_key = ${key}`.execute(
            transaction,
          );
          if (still.length > 0) await mergeDocumentGraph(transaction, id, key);
        });
      }
    },

    async markMerged(documentId) {
      await writer
        .updateTable('documents')
        .set({ extraction_status: 'enriched' })
        .where('id', '=', documentId.toLowerCase())
        .where('extraction_status', '=', 'success')
        .execute();
    },

    async parts(task, extractor) {
      const rows = await reader
        .selectFrom('extraction_parts as p')
        .innerJoin('documents as d', 'd.key', 'p.document_key')
        .select(['p.part', 'p.graph'])
        .where('d.id', '=', task.documentId)
        .where('p.generation', '=', task.generation)
        .where('p.extractor', '=', extractor)
        .execute();
      return new Map(rows.map(({ part, graph }) => [part, JSON.parse(graph) as ExtractedGraph]));
    },

    async keepPart(task, extractor, part, graph) {
      await sql`
        insert into extraction_parts (document_key, generation, extractor, part, graph)
        select key, generation, ${extractor}, ${part}, ${JSON.stringify(graph)} from documents
        where id = ${task.documentId} and generation = ${task.generation}
        on conflict do nothing`.execute(writer);
    },

    async extractionOf(documentId) {
      const { rows } = await sql<{
        extractor: string | null;
        failure: string | null;
        entities: number;
        relationships: number;
      }>`
        select g.extractor, g.failure,
          (select count(*) from document_entities e where e.document_key = d.key) as entities,
          (select count(*) from document_relationships r where r.document_key = d.key) as relationships
        from documents d left join document_graphs g on g.document_key = d.key
        where d.id = ${documentId.toLowerCase()}`.execute(reader);
      return rows[0];
    },

    async extractionChunksOf(documentId) {
      const row = await findRow(reader, documentId);
      return row === undefined ? [] : readExtractionChunks(reader, row);
    },
  };
}
