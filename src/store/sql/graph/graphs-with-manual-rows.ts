import type { Filter } from '../../../documents/filter.ts';
import { matchesFilter } from '../../../documents/matches-filter.ts';
import type { Reading } from '../search/read-snapshot.ts';

/**
 * Collections whose graphs have manual rows that pass the filter. Such a row belongs to no document, so the filter sees
 * only its collection and the collection's owner: it passes for members, for the owner and for users who may see
 * everything, and it fails every condition on documents.
 */
export function graphsWithManualRows(reading: Reading, filter: Filter): ReadonlySet<string> {
  const passing = new Set<string>();
  for (const [id, owner] of reading.rows(GRAPHS_WITH_MANUAL_ROWS)) {
    const record = {
      target: 'document' as const,
      fields: { owner_id: String(owner) },
      collectionIds: [String(id)],
      metadata: {},
      ownMetadata: {},
    };
    if (matchesFilter(filter, record)) passing.add(String(id));
  }
  return passing;
}

const hasManualRows = (table: string) =>
  `exists (select 1 from shown_${table} g where g.collection_id = c.id and g.origin = 'made')`;
const GRAPHS_WITH_MANUAL_ROWS = `
  select c.id, c.owner_id from collections c
  where ${hasManualRows('graph_entities')} or ${hasManualRows('graph_relationships')} or ${hasManualRows('graph_communities')}`;
