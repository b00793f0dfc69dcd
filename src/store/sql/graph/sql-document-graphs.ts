import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { DocumentGraphRecords, ExtractedGraph, ExtractionTask } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { findRow } from '../documents/document-rows.ts';
import { isHeld } from '../documents/ingestions.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { mergeDocumentGraph, mergeIntoCollections } from './merge-document-graph.ts';
import { saveExtraction } from './save-extraction.ts';

/** DocumentGraphRecords in the record store, including the queue of pending extractions. */
export function createDocumentGraphs({ reader, writer, search, shared }: Database): DocumentGraphRecords {
  const { isFalse, joinInOrder, usingIndex } = search.dialect;
  // Documents ingested without automatic extraction are still extracted on request.
  const isWaiting = sql`d.extraction_status = 'pending' and d.generation > 0 and (
    g.requested is not null or not ${isFalse(sql`d.settings`, 'automatic_extraction')})`;
  return {
    next: (which = 'all') =>
      writer.transaction().execute(async (transaction) => {
        const { rows } = await sql<TaskRow>`
          select d.key, d.id, d.title, d.generation, g.requested
          from documents d left join document_graphs g on g.document_key = d.key
          where ${isWaiting} ${which === 'asked' ? sql`and g.requested is not null` : sql``}
          order by g.requested is null, d.chunk_count, d.key limit 1`.execute(transaction);
        const [row] = rows;
        if (row === undefined) return undefined;
        await setStatus(transaction, row.key, 'processing');
        const chunks = await readChunks(transaction, row);
        const token = await shared?.tokenOf(transaction, 'extraction', row.key);
        return {
          ...(token !== undefined && { token }),
          documentId: row.id,
          title: row.title,
          generation: row.generation,
          requested: row.requested === DEFAULT_EXTRACTOR ? null : row.requested,
          chunks,
        };
      }),

    async requeue() {
      await writer.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('documents')
          .set({ extraction_status: 'pending' })
          .where('extraction_status', '=', 'processing')
          .where('key', 'not in', (await shared?.documentsInProgress(transaction, 'extraction', 'others')) ?? [])
          .execute();
      });
    },

    request: (documentId, extractor) =>
      writer.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, documentId);
        if (row === undefined) throw new ServiceError('not_found', `There is no document ${documentId}.`);
        if (row.generation === 0) {
          throw new ServiceError('conflict', `Document ${documentId} is not ingested yet; extract it afterwards.`);
        }
        const requested = { requested: extractor ?? DEFAULT_EXTRACTOR, failure: null };
        await transaction
          .insertInto('document_graphs')
          .values({ document_key: row.key, extractor: null, extracted_at: null, ...requested })
          .onConflict((conflict) => conflict.column('document_key').doUpdateSet(requested))
          .execute();
        await setStatus(transaction, row.key, 'pending');
      }),

    save: (task, extractor, graph) =>
      writer.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, task.documentId);
        if (row === undefined || row.generation !== task.generation) return false;
        // Its chunks were changed, or another extraction was requested, during this one.
        if (row.extraction_status !== 'processing' || !(await isMine(transaction, row.key, task))) return false;
        await saveExtraction(transaction, row, graph);
        const done = { extractor, requested: null, failure: null, extracted_at: new Date().toISOString() };
        await keepOutcome(transaction, row.key, done);
        await transaction.deleteFrom('extraction_parts').where('document_key', '=', row.key).execute();
        await setStatus(transaction, row.key, 'success');
        await mergeIntoCollections(transaction, row.key);
        return true;
      }),

    fail: (task, reason) =>
      writer.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, task.documentId);
        if (row === undefined || row.generation !== task.generation || row.extraction_status !== 'processing') return;
        if (!(await isMine(transaction, row.key, task))) return;
        await keepOutcome(transaction, row.key, { failure: reason });
        await setStatus(transaction, row.key, 'failed');
      }),

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

    async backlog() {
      const { rows } = await sql<{ waiting: number }>`
        select count(*) as waiting
        from documents d ${usingIndex('documents_to_extract')}
        left join document_graphs g on g.document_key = d.key
        where d.extraction_status in ('pending', 'processing') and d.generation > 0
          and ((${isWaiting}) or d.extraction_status = 'processing')`.execute(reader);
      const failed = await reader
        .selectFrom('documents')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('extraction_status', '=', 'failed')
        .executeTakeFirstOrThrow();
      return { waiting: rows[0]?.waiting ?? 0, failed: failed.count };
    },

    async isIngesting() {
      const { rows } = await sql`
        select 1 from documents where ingestion_status in ('pending', 'parsing', 'augmenting', 'embedding', 'storing')
          and updated_at > ${new Date(Date.now() - STALLED_MS).toISOString()} limit 1`.execute(reader);
      return rows.length > 0;
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
      return row === undefined ? [] : readChunks(reader, row);
    },
  };
}

/** False when another process has taken the task over. */
const isMine = async (database: Queries, key: number, { token }: ExtractionTask): Promise<boolean> =>
  token === undefined || (await isHeld(database, 'extraction', { key, token }));

/** Stored as the extractor if an extraction was requested without naming one. */
const DEFAULT_EXTRACTOR = 'usual';
/** An ingestion without progress for this long does not delay extraction. */
const STALLED_MS = 30_000;

interface TaskRow {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  readonly generation: number;
  readonly requested: string | null;
}

async function readChunks(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
): Promise<ExtractionTask['chunks']> {
  const rows = await database
    .selectFrom('chunks')
    .select(['id', 'text', 'heading_path'])
    .where('document_key', '=', document.key)
    .where('generation', '=', document.generation)
    .orderBy('ordinal')
    .execute();
  return rows.map(({ id, text, heading_path }) => ({
    chunkId: id,
    text,
    headingPath: JSON.parse(heading_path) as string[],
  }));
}

// Does not change `updated_at`, because the document itself is unchanged.
async function setStatus(
  database: Queries,
  key: number,
  extraction_status: 'pending' | 'processing' | 'success' | 'failed',
): Promise<void> {
  await database.updateTable('documents').set({ extraction_status }).where('key', '=', key).execute();
}

async function keepOutcome(
  database: Queries,
  key: number,
  outcome: {
    readonly extractor?: string;
    readonly requested?: null;
    readonly failure: string | null;
    readonly extracted_at?: string;
  },
): Promise<void> {
  await database
    .insertInto('document_graphs')
    .values({ document_key: key, requested: null, extractor: null, extracted_at: null, ...outcome })
    .onConflict((conflict) => conflict.column('document_key').doUpdateSet(outcome))
    .execute();
}
