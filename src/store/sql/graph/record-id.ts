import { isUuid } from '../../../documents/ids.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Tables whose row identifiers are derived from their keys. */
export type GraphTable =
  | 'document_entities'
  | 'document_relationships'
  | 'graph_entities'
  | 'graph_relationships'
  | 'graph_communities';

const codes: Readonly<Record<GraphTable, string>> = {
  document_entities: '1',
  document_relationships: '2',
  graph_entities: '3',
  graph_relationships: '4',
  graph_communities: '5',
};

const PREFIX = '0c17e311-0000-8';

/**
 * Encodes the row's key as a UUID of version 8 (RFC 9562, 5.8): graphs have hundreds of thousands of rows, and random
 * identifiers would need a column and an index larger than the rows. Keys are never reused, so neither are these
 * identifiers.
 */
export function recordId(table: GraphTable, key: number): string {
  const hex = key.toString(16).padStart(12, '0');
  return `${PREFIX}${codes[table]}00-8000-${hex}`;
}

/** The key, or undefined when the identifier is not of that table. */
export function recordKey(table: GraphTable, id: string): number | undefined {
  const lower = id.toLowerCase();
  if (!isUuid(lower) || !lower.startsWith(`${PREFIX}${codes[table]}00-8000-`)) return undefined;
  return Number.parseInt(lower.slice(-12), 16);
}

/** Deletes a row of a collection's graph; false if there is none. */
export async function removeRow(
  database: Queries,
  table: 'graph_entities' | 'graph_relationships' | 'graph_communities',
  collectionId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom(table)
    .where('key', 'in', (from) =>
      from
        .selectFrom(`shown_${table}`)
        .select('key')
        .where('collection_id', '=', collectionId.toLowerCase())
        .where('key', '=', recordKey(table, id) ?? -1),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
