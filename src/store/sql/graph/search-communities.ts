import type { GraphHit } from '../../../documents/graph-hit.ts';
import type { GraphQuery } from '../../graph-search.ts';
import { chooseTerms } from '../full-text/choose-terms.ts';
import type { KeySet } from '../search/key-set.ts';
import type { GraphReading } from './graph-reading.ts';
import { recordId } from './record-id.ts';

interface CommunityQuery extends Pick<GraphQuery, 'limits'> {
  readonly terms: readonly string[];
  /** Graphs whose manual rows are visible. */
  readonly graphs: ReadonlySet<string>;
  readonly allowed: KeySet | undefined;
}

/** The negated FTS5 rank that yields score 0.5. */
const HALF_SCORE = 6;
const CHUNKS_PER_HIT = 20;

/**
 * Communities that match the query. A summary may contain content of any of its source documents, so it is returned
 * only to users who may see all of them; a manual one, to the members of its collection.
 */
export function searchCommunities(
  reading: GraphReading,
  { terms, limits, graphs, allowed }: CommunityQuery,
): GraphHit[] {
  const chosen = chooseTerms(terms.map((term) => ({ term, count: reading.rowsWith('graph_community_terms', term) })));
  if (chosen.length === 0) return [];
  const hits: GraphHit[] = [];
  const passes = documentsThatPass(reading, allowed);
  for (const row of [...reading.communitiesWith(chosen)]) {
    if (hits.length >= limits.communities) break;
    const [key, collection, origin, name, summary, findings, rank] = row;
    const documents = [...reading.rows(DOCUMENTS, Number(key))].map(([id]) => Number(id));
    if (origin === 'made' ? !graphs.has(String(collection)) : documents.length === 0) continue;
    if (!documents.every(passes)) continue;
    const sum = -Number(rank);
    hits.push({
      id: recordId('graph_communities', Number(key)),
      score: sum / (sum + HALF_SCORE),
      chunkIds: [...reading.rows(CHUNKS, Number(key))].map(([id]) => String(id)),
      documents: titlesOf(reading, documents),
      found: {
        kind: 'community',
        name: String(name),
        summary: String(summary),
        findings: JSON.parse(String(findings)) as string[],
        collectionId: String(collection),
      },
    });
  }
  return hits;
}

const MEMBERS = `
  graph_community_members m cross join graph_entity_sources s on s.graph_entity_key = m.entity_key
  cross join document_entities e on e.key = s.document_entity_key`;
const DOCUMENTS = `select distinct e.document_key from ${MEMBERS} where m.community_key = ?`;
const CHUNKS = `
  select distinct c.id from ${MEMBERS} cross join entity_mentions n on n.entity_key = e.key
  cross join chunks c on c.key = n.chunk_key where m.community_key = ? limit ${CHUNKS_PER_HIT}`;

/** Whether a document has a chunk that passes; cached, because communities share documents. */
function documentsThatPass(reading: GraphReading, allowed: KeySet | undefined): (document: number) => boolean {
  if (allowed === undefined) return () => true;
  const known = new Map<number, boolean>();
  return (document) => {
    const before = known.get(document);
    if (before !== undefined) return before;
    let passes = false;
    for (const [key] of reading.rows('select key from chunks where document_key = ?', document)) {
      passes = allowed.has(Number(key));
      if (passes) break;
    }
    known.set(document, passes);
    return passes;
  };
}

const DOCUMENTS_NAMED = 20;

function titlesOf(reading: GraphReading, documents: readonly number[]): GraphHit['documents'] {
  const rows = reading.rows(
    'select d.id, d.title from json_each(?) as wanted cross join documents d on d.key = wanted.value',
    JSON.stringify(documents.slice(0, DOCUMENTS_NAMED)),
  );
  return [...rows].map(([id, title]) => ({ id: String(id), title: String(title) }));
}
