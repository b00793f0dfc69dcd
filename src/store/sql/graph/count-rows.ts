import { sql } from 'kysely';
import type { Queries } from '../space-rows.ts';

/** Removes what these documents say, and tells how many entities and relationships that were. */
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

/** How many entities and relationships a document tells of. */
export async function countDocumentGraph(database: Queries, document: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from document_entities where document_key = ${document})
      + (select count(*) from document_relationships where document_key = ${document}) as count`.execute(database);
  return rows[0]?.count ?? 0;
}
