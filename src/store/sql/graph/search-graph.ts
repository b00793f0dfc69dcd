import type { Filter } from '../../../documents/filter.ts';
import type { GraphHit } from '../../../documents/graph-hit.ts';
import { type GraphFinding, type GraphQuery, noGraphFinding } from '../../graph-search.ts';
import type { CompiledFilter } from '../search/compile-filter.ts';
import type { KeySet } from '../search/key-set.ts';
import type { GraphReading } from './graph-reading.ts';
import { recordId } from './record-id.ts';
import { searchCommunities } from './search-communities.ts';
import { graphsWithManualRows, searchManualRows } from './search-manual-rows.ts';
import { searchNames } from './search-names.ts';
import { chunksMentioning, type WalkedRelationship, walkGraph } from './walk-graph.ts';

export interface CompiledGraphQuery extends Pick<GraphQuery, 'vector' | 'limits'> {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  readonly filter: CompiledFilter;
  /** The same filter, for rows without chunks. */
  readonly onGraphs: Filter;
}

const SEEDS = 16;
/** Maximum number of chunks listed per hit. */
const CHUNKS_PER_HIT = 20;

/** Searches one consistent snapshot of the graph. Finds only what `allowed` chunks support; all if it is undefined. */
export function searchGraph(
  reading: GraphReading,
  query: Omit<CompiledGraphQuery, 'filter'>,
  allowed: KeySet | undefined,
): GraphFinding {
  const { terms, vector, limits, onGraphs } = query;
  const graphs = graphsWithManualRows(reading, onGraphs);
  if (allowed?.size === 0 && graphs.size === 0) return noGraphFinding;
  const isLocal = limits.entities > 0 || limits.relationships > 0;
  const seeds = isLocal ? searchNames(reading, { terms, vector, allowed, limit: SEEDS }) : [];
  const walk = walkGraph(reading, seeds, allowed);
  const manualRows = searchManualRows(reading, { terms, limits, graphs });
  const near = [...walk.names].sort((one, two) => two[1] - one[1] || one[0] - two[0]);
  const entities = near.slice(0, limits.entities).flatMap((each) => toEntityHit(reading, each, allowed) ?? []);
  const relationships = walk.relationships
    .slice(0, limits.relationships)
    .flatMap((each) => toRelationshipHit(reading, each, allowed) ?? []);
  return {
    entities: bestHits([...manualRows.entities, ...entities], limits.entities),
    relationships: bestHits([...manualRows.relationships, ...relationships], limits.relationships),
    communities: limits.communities > 0 ? searchCommunities(reading, { terms, limits, graphs, allowed }) : [],
  };
}

const bestHits = (hits: readonly GraphHit[], limit: number): GraphHit[] =>
  [...hits].sort((one, two) => two.score - one.score).slice(0, limit);

const atMostOne = (score: number): number => Math.min(1, Math.max(Number.MIN_VALUE, score));

function toEntityHit(
  reading: GraphReading,
  [name, score]: readonly [number, number],
  allowed: KeySet | undefined,
): GraphHit | undefined {
  let best: { readonly key: number; readonly name: string; readonly category: string | null } | undefined;
  let description = '';
  let category: string | null = null;
  const chunks: number[] = [];
  for (const [key, spelled, foundCategory, text] of [...reading.rows(SOURCES, name)]) {
    if (chunks.length >= CHUNKS_PER_HIT) break;
    const mentions = visibleMentions(reading, Number(key), allowed, CHUNKS_PER_HIT);
    if (mentions.length === 0) continue;
    chunks.push(...mentions);
    category ??= foundCategory === null ? null : String(foundCategory);
    best ??= { key: Number(key), name: String(spelled), category };
    if (description === '') description = String(text);
  }
  if (best === undefined) return undefined;
  return {
    id: recordId('document_entities', best.key),
    score: atMostOne(score),
    ...provenance(reading, chunks),
    found: { kind: 'entity', name: best.name, category, description },
  };
}

const SOURCES = `
  select key, name, category, description from document_entities where name_key = ? order by mentions desc, key limit 50`;

function visibleMentions(reading: GraphReading, entity: number, allowed: KeySet | undefined, most: number): number[] {
  const chunks: number[] = [];
  for (const [chunk] of reading.rows('select distinct chunk_key from entity_mentions where entity_key = ?', entity)) {
    if (allowed !== undefined && !allowed.has(Number(chunk))) continue;
    chunks.push(Number(chunk));
    if (chunks.length >= most) break;
  }
  return chunks;
}

function toRelationshipHit(
  reading: GraphReading,
  found: WalkedRelationship,
  allowed: KeySet | undefined,
): GraphHit | undefined {
  const [key = -1] = found.rows;
  const row = reading.row(
    `select s.key as subject_key, s.name as subject, o.key as object_key, o.name as object from document_relationships r
     cross join document_entities s on s.key = r.subject_key cross join document_entities o on o.key = r.object_key
     where r.key = ?`,
    key,
  );
  if (row === undefined) return undefined;
  const [subjectKey, subject, objectKey, object] = row;
  return {
    id: recordId('document_relationships', key),
    score: atMostOne(found.score),
    ...provenance(reading, chunksMentioning(reading, found.rows, { allowed, most: CHUNKS_PER_HIT })),
    found: {
      kind: 'relationship',
      subject: String(subject),
      subjectId: recordId('document_entities', Number(subjectKey)),
      predicate: found.predicate,
      object: String(object),
      objectId: recordId('document_entities', Number(objectKey)),
      description: found.description,
      weight: found.weight,
    },
  };
}

/** Identifiers of the chunks, and their documents. */
function provenance(reading: GraphReading, chunks: readonly number[]): Pick<GraphHit, 'chunkIds' | 'documents'> {
  const ids = new Set<string>();
  const documents = new Map<string, string>();
  const keys = JSON.stringify([...new Set(chunks)].slice(0, CHUNKS_PER_HIT));
  for (const [chunk, document, title] of reading.rows(PLACES, keys)) {
    ids.add(String(chunk));
    documents.set(String(document), String(title));
  }
  return { chunkIds: [...ids], documents: [...documents].map(([id, title]) => ({ id, title })) };
}

const PLACES = `
  select c.id as chunk, d.id as document, d.title from json_each(?) as wanted
  cross join chunks c on c.key = wanted.value cross join documents d on d.key = c.document_key`;
