import { sql } from 'kysely';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Removes the graphs of these documents; returns the number of entities and relationships removed. */
export async function removeDocumentGraphs(database: Queries, documents: readonly number[]): Promise<number> {
  const { numDeletedRows: relationships } = await database
    .deleteFrom('document_relationships')
    .where('document_key', 'in', documents)
    .executeTakeFirst();
  const { numDeletedRows: entities } = await database
    .deleteFrom('document_entities')
    .where('document_key', 'in', documents)
    .executeTakeFirst();
  return Number(relationships + entities);
}

/** Number of entities and relationships of a document. */
export async function countDocumentGraph(database: Queries, document: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from document_entities where document_key = ${document})
      + (select count(*) from document_relationships where document_key = ${document}) as count`.execute(database);
  return rows[0]?.count ?? 0;
}
