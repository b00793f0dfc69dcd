import { sql } from 'kysely';
import type { Filter } from '../../documents/filter.ts';
import type { DeletionReceipt } from '../corpus.ts';
import { removeDocumentGraphs } from './graph/count-rows.ts';
import { inBatches } from './key-ranges.ts';
import type { Sqlite } from './open-sqlite.ts';
import { oweRemoval } from './outbox.ts';
import type { Queries } from './space-rows.ts';
import { filterToSql } from './to-sql.ts';

const DOCUMENTS_PER_STATEMENT = 1_000;
const nothing: DeletionReceipt = { documents: 0, chunks: 0, vectors: 0, fullTextEntries: 0, files: 0, graphRows: 0 };

/** Removes documents with all that belongs to them in one transaction, and owes the index the removal of theirs. */
export function removeDocuments({ writer }: Sqlite, filter: Filter): Promise<DeletionReceipt> {
  return writer.transaction().execute(async (transaction) => {
    const found = await transaction
      .selectFrom('documents as d')
      .select('d.key')
      .where(filterToSql(filter, 'document'))
      .execute();
    const keys = found.map(({ key }) => key);
    let receipt = nothing;
    for (const batch of inBatches(keys, DOCUMENTS_PER_STATEMENT)) {
      receipt = sum(receipt, await removeBatch(transaction, batch));
    }
    return receipt;
  });
}

/** One document with all that belongs to it, within the caller's transaction. */
export const removeDocument = (database: Queries, key: number): Promise<DeletionReceipt> =>
  removeBatch(database, [key]);

async function removeBatch(database: Queries, documents: readonly number[]): Promise<DeletionReceipt> {
  const chunks = await database.selectFrom('chunks').select('key').where('document_key', 'in', documents).execute();
  await oweRemoval(
    database,
    chunks.map(({ key }) => key),
  );
  const keysOfVisible = sql`
    select c.key from chunks c join documents d on d.key = c.document_key and d.generation = c.generation
    where d.key in (${sql.join(documents)})`;
  const chunkTerms = await sql`delete from chunk_terms where rowid in (${keysOfVisible})`.execute(database);
  const documentTerms = await sql`
    delete from document_terms where rowid in (
      select key from documents where generation > 0 and key in (${sql.join(documents)})
    )`.execute(database);
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
    vectors: Number(vectors.numDeletedRows),
    fullTextEntries: Number(chunkTerms.numAffectedRows ?? 0) + Number(documentTerms.numAffectedRows ?? 0),
    files: Number(files.numDeletedRows),
    graphRows,
  };
}

function sum(one: DeletionReceipt, two: DeletionReceipt): DeletionReceipt {
  return {
    documents: one.documents + two.documents,
    chunks: one.chunks + two.chunks,
    vectors: one.vectors + two.vectors,
    fullTextEntries: one.fullTextEntries + two.fullTextEntries,
    files: one.files + two.files,
    graphRows: one.graphRows + two.graphRows,
  };
}
