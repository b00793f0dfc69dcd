import { sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import type { DeletionReceipt } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { filterToSql } from '../filters/to-sql.ts';
import { removeDocumentGraphs } from '../graph/count-rows.ts';
import { addPendingRemoval } from '../index-sync/outbox.ts';
import type { RemovedChunks } from '../index-sync/verify-removal.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { removeVersions } from '../versions/remove-versions.ts';

// Measured: deleting a chunk takes about 0.1 ms.
const CHUNKS_PER_TRANSACTION = 200;
const DOCUMENTS_PER_TRANSACTION = 20;
/** Number of chunks searched for afterwards to verify the removal. */
const SAMPLES = 3;
const nothing = {
  documents: 0,
  chunks: 0,
  vectors: 0,
  fullTextEntries: 0,
  files: 0,
  graphRows: 0,
  versions: 0,
  pastChunks: 0,
} satisfies DeletionReceipt;
type Counts = typeof nothing;

export interface Removal {
  readonly receipt: DeletionReceipt;
  /** Input for verifying the removal. */
  readonly removed: RemovedChunks;
}

/**
 * Removes documents with all their data, and adds the removal of their vectors to the outbox. Each document is removed
 * in one transaction, which a few small documents may share; other writes can run between the transactions.
 */
export async function removeDocuments({ reader, writer, search }: Database, filter: Filter): Promise<Removal> {
  const found = await reader
    .selectFrom('documents as d')
    .select(['d.key', 'd.chunk_count'])
    .where(filterToSql(filter, 'document', search.dialect.filters))
    .execute();
  const keys: number[] = [];
  const samples: RemovedChunks['samples'][number][] = [];
  let receipt = nothing;
  for (const batch of smallBatches(found)) {
    await writer.transaction().execute(async (transaction) => {
      // A document may have been changed or deleted since it was found.
      const still = await transaction
        .selectFrom('documents as d')
        .select('d.key')
        .where(filterToSql(filter, 'document', search.dialect.filters))
        .where('d.key', 'in', batch)
        .execute();
      const documents = still.map(({ key }) => key);
      if (documents.length === 0) return;
      keys.push(...(await keysOf(transaction, documents)));
      if (samples.length < SAMPLES) samples.push(...(await sampleOf(transaction, documents)));
      receipt = sum(receipt, await removeBatch(transaction, documents));
    });
  }
  return { receipt, removed: { keys, samples } };
}

function smallBatches(documents: readonly { readonly key: number; readonly chunk_count: number }[]): number[][] {
  const batches: number[][] = [];
  let chunks = Number.POSITIVE_INFINITY;
  for (const { key, chunk_count } of documents) {
    const batch = batches.at(-1);
    chunks += chunk_count;
    if (batch === undefined || chunks > CHUNKS_PER_TRANSACTION || batch.length >= DOCUMENTS_PER_TRANSACTION) {
      batches.push([key]);
      chunks = chunk_count;
    } else batch.push(key);
  }
  return batches;
}

async function keysOf(database: Queries, documents: readonly number[]): Promise<number[]> {
  const chunks = database.selectFrom('chunks').select('key').where('document_key', 'in', documents);
  const past = database.selectFrom('past_chunks').select('key').where('document_key', 'in', documents);
  return (await chunks.unionAll(past).execute()).map(({ key }) => key);
}

/** A sample of visible chunks from across the documents, with the text and vector that would find them. */
async function sampleOf(database: Queries, documents: readonly number[]): Promise<RemovedChunks['samples']> {
  const { rows } = await sql<{ key: number; text: string; vector: Uint8Array | null }>`
    with visible as materialized (
      select c.key, row_number() over (order by c.key) as place, count(*) over () as count
      from chunks c join documents d on d.key = c.document_key and d.generation = c.generation
      where d.key in (${sql.join(documents)})
    )
    select c.key, c.text, v.vector from visible join chunks c on c.key = visible.key
    left join vector_spaces s on s.state = 'current'
    left join chunk_vectors v on v.space_key = s.key and v.chunk_key = c.key
    where place in (1, (count + 1) / 2, count)`.execute(database);
  return rows.map(({ key, text, vector }) => ({ key, text, vector: vector ? fromVectorBytes(vector) : undefined }));
}

/** Removes one document with all its data, within the caller's transaction. */
export const removeDocument = (database: Queries, key: number): Promise<DeletionReceipt> =>
  removeBatch(database, [key]);

async function removeBatch(database: Queries, documents: readonly number[]): Promise<Counts> {
  // Versions first, so that no chunks are moved to `past_chunks` for them.
  const past = await removeVersions(database, documents);
  const chunks = await database.selectFrom('chunks').select('key').where('document_key', 'in', documents).execute();
  await addPendingRemoval(
    database,
    chunks.map(({ key }) => key),
  );
  const keysOfVisible = sql`
    select c.key from chunks c join documents d on d.key = c.document_key and d.generation = c.generation
    where d.key in (${sql.join(documents)})`;
  const { fullText } = dialectOf(database);
  const chunkTerms = await fullText.remove(database, 'chunk_terms', keysOfVisible);
  const documentTerms = await fullText.remove(
    database,
    'document_terms',
    sql`select key from documents where generation > 0 and key in (${sql.join(documents)})`,
  );
  const vectors = await database
    .deleteFrom('chunk_vectors')
    .where('chunk_key', 'in', (from) => from.selectFrom('chunks').select('key').where('document_key', 'in', documents))
    .executeTakeFirst();
  const graphRows = await removeDocumentGraphs(database, documents);
  await database.deleteFrom('chunks').where('document_key', 'in', documents).execute();
  const files = await database.deleteFrom('document_files').where('document_key', 'in', documents).executeTakeFirst();
  const removed = await database.deleteFrom('documents').where('key', 'in', documents).executeTakeFirst();
  return {
    documents: Number(removed.numDeletedRows),
    chunks: chunks.length,
    vectors: Number(vectors.numDeletedRows) + past.vectors,
    fullTextEntries: chunkTerms + documentTerms + past.fullTextEntries,
    files: Number(files.numDeletedRows) + past.files,
    graphRows,
    versions: past.versions,
    pastChunks: past.chunks,
  };
}

function sum(one: Counts, two: Counts): Counts {
  return {
    documents: one.documents + two.documents,
    chunks: one.chunks + two.chunks,
    vectors: one.vectors + two.vectors,
    fullTextEntries: one.fullTextEntries + two.fullTextEntries,
    files: one.files + two.files,
    graphRows: one.graphRows + two.graphRows,
    versions: one.versions + two.versions,
    pastChunks: one.pastChunks + two.pastChunks,
  };
}
