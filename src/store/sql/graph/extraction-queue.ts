import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { DocumentGraphRecords, ExtractionTask } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { findRow } from '../documents/document-rows.ts';
import { isHeld } from '../documents/ingestions.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { readExtractionChunks } from './extraction-chunks.ts';
import { mergeIntoCollections } from './merge-document-graph.ts';
import { saveExtraction } from './save-extraction.ts';

/** The queue of documents whose graph is to be extracted. It consists of the extraction status of the documents. */
export type ExtractionQueue = Pick<
  DocumentGraphRecords,
  'next' | 'requeue' | 'request' | 'save' | 'fail' | 'backlog' | 'isIngesting'
>;

export function createExtractionQueue({ reader, writer, search, shared }: Database): ExtractionQueue {
  const { isFalse, usingIndex } = search.dialect;
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
        const chunks = await readExtractionChunks(transaction, row);
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
