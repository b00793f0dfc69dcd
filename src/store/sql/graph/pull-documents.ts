import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { Progress } from '../../../shared/leased-queue.ts';
import type { PullOptions, PullOutcome } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { mergeDocumentGraph } from './merge-document-graph.ts';

/** Merges the documents of a collection one transaction at a time, so that other writes can run in between. */
export async function* pullDocuments(
  { reader, writer }: Database,
  id: string,
  { force, signal }: PullOptions,
): AsyncGenerator<Progress, PullOutcome> {
  const { joinInOrder } = dialectOf(reader);
  const { rows } = await sql<{ key: number }>`
    select dc.document_key as key from document_collections dc
    ${joinInOrder} document_graphs g on g.document_key = dc.document_key and g.extracted_at is not null
    where dc.collection_id = ${id} and (${force ? sql`true` : sql`false`} or not exists (
      select 1 from graph_documents p
      where p.collection_id = ${id} and p.document_key = dc.document_key and p.pulled = 1))
    order by dc.document_key`.execute(reader);
  let documents = 0;
  for (const [index, { key }] of rows.entries()) {
    if (signal?.aborted) {
      throw new ServiceError('cancelled', `Gathering stopped after ${index} of ${rows.length} documents.`);
    }
    const hasContent = await writer.transaction().execute((transaction) => pullDocument(transaction, id, key));
    if (hasContent) documents++;
    yield { done: index + 1, total: rows.length };
  }
  await writer.updateTable('collections').set({ graph_sync_status: 'success' }).where('id', '=', id).execute();
  return { documents };
}

/** True if the pull added content to what earlier requests had pulled from the document. */
async function pullDocument(database: Queries, id: string, document: number): Promise<boolean> {
  // The document may have left the collection, or have been deleted, since it was listed.
  const { rows } = await sql<{ hasContent: number }>`
    select exists (select 1 from document_entities e where e.document_key = ${document}) as "hasContent"
    from document_collections where collection_id = ${id} and document_key = ${document}`.execute(database);
  const [found] = rows;
  if (found === undefined) return false;
  await database
    .deleteFrom('graph_exclusions')
    .where('collection_id', '=', id)
    .where('document_key', '=', document)
    .execute();
  const hasChanged = await mergeDocumentGraph(database, id, document);
  const { numUpdatedRows } = await database
    .updateTable('graph_documents')
    .set({ pulled: 1 })
    .where('collection_id', '=', id)
    .where('document_key', '=', document)
    .where('pulled', '=', 0)
    .executeTakeFirst();
  return hasChanged || (numUpdatedRows > 0n && found.hasContent === 1);
}
