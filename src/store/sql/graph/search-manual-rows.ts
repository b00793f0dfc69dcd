import type { Filter } from '../../../documents/filter.ts';
import type { GraphHit } from '../../../documents/graph-hit.ts';
import { matchesFilter } from '../../../documents/matches-filter.ts';
import { analyse } from '../../full-text/analyse.ts';
import type { GraphQuery } from '../../graph-search.ts';
import type { GraphReading } from './graph-reading.ts';
import { recordId } from './record-id.ts';

interface ManualRowsQuery extends Pick<GraphQuery, 'limits'> {
  readonly terms: readonly string[];
  readonly graphs: ReadonlySet<string>;
}

/**
 * Searches the manual rows in the graphs of these collections. They belong to no document, so they are visible to
 * everyone who may see the graph. There are few, so all of them are compared.
 */
export function searchManualRows(
  reading: GraphReading,
  { terms, graphs, limits }: ManualRowsQuery,
): { readonly entities: GraphHit[]; readonly relationships: GraphHit[] } {
  if (terms.length === 0 || graphs.size === 0) return { entities: [], relationships: [] };
  const wanted = new Set(terms);
  const scoreOf = (name: string, text: string) => {
    const inName = share(name, wanted);
    return Math.max(inName, 0.5 * share(text, wanted));
  };
  const collections = JSON.stringify([...graphs]);
  const entities: GraphHit[] = [];
  if (limits.entities > 0) {
    for (const [key, name, category, description] of reading.rows(ENTITIES, collections)) {
      const score = scoreOf(String(name), String(description));
      if (score < MIN_SCORE) continue;
      entities.push({
        ...made('graph_entities', Number(key), score),
        found: {
          kind: 'entity',
          name: String(name),
          category: category === null ? null : String(category),
          description: String(description),
        },
      });
    }
  }
  const relationships: GraphHit[] = [];
  if (limits.relationships > 0) {
    for (const row of reading.rows(RELATIONSHIPS, collections)) {
      const [key, subject, subjectKey, predicate, object, objectKey, description, weight] = row;
      const score = Math.max(
        scoreOf(String(subject), String(description)),
        scoreOf(String(object), String(description)),
      );
      if (score < MIN_SCORE) continue;
      relationships.push({
        ...made('graph_relationships', Number(key), score),
        found: {
          kind: 'relationship',
          subject: String(subject),
          subjectId: recordId('graph_entities', Number(subjectKey)),
          predicate: String(predicate),
          object: String(object),
          objectId: recordId('graph_entities', Number(objectKey)),
          description: String(description),
          weight: Number(weight),
        },
      });
    }
  }
  return { entities, relationships };
}

const MIN_SCORE = 0.4;

const made = (table: 'graph_entities' | 'graph_relationships', key: number, score: number) => ({
  id: recordId(table, key),
  score,
  chunkIds: [],
  documents: [],
});

/** The share of a text's terms that are in `wanted`. */
function share(text: string, wanted: ReadonlySet<string>): number {
  const terms = new Set(analyse(text));
  if (terms.size === 0) return 0;
  let found = 0;
  for (const term of terms) if (wanted.has(term)) found++;
  return found / terms.size;
}

const OF_MEMBERS = "origin = 'made' and collection_id in (select value from json_each(?))";
const MAX_ROWS = 5_000;
const ENTITIES = `
  select key, name, category, coalesce(description, '') from shown_graph_entities where ${OF_MEMBERS} limit ${MAX_ROWS}`;
const RELATIONSHIPS = `
  select key, subject, subject_key, predicate, object, object_key, coalesce(description, '') as description,
    coalesce(weight, 1) as weight
  from shown_graph_relationships where ${OF_MEMBERS} limit ${MAX_ROWS}`;

/**
 * Collections whose graphs have manual rows that pass the filter. Such a row belongs to no document, so the filter sees
 * only its collection and the collection's owner: it passes for members, for the owner and for users who may see
 * everything, and it fails every condition on documents.
 */
export function graphsWithManualRows(reading: GraphReading, filter: Filter): ReadonlySet<string> {
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
