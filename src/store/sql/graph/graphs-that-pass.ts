import type { Filter } from '../../../documents/filter.ts';
import { matchesFilter } from '../../../documents/matches-filter.ts';
import type { Reading } from '../search/read-snapshot.ts';

/**
 * Collections whose graphs have rows made by hand that pass. No document says such a row, so the filter sees it as
 * something of that collection and of its owner and knows nothing else of it: it passes for members, for the owner and
 * for whoever may see everything, and for no condition on documents.
 */
export function graphsWithRowsMade(reading: Reading, filter: Filter): ReadonlySet<string> {
  const passing = new Set<string>();
  for (const [id, owner] of reading.rows(WITH_ROWS_MADE)) {
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

const made = (table: string) => `exists (select 1 from ${table} g where g.collection_id = c.id and g.origin = 'made')`;
const WITH_ROWS_MADE = `
  select c.id, c.owner_id from collections c
  where ${made('graph_entities')} or ${made('graph_relationships')} or ${made('graph_communities')}`;
