import { type GraphHit, graphHitText } from '../documents/graph-hit.ts';
import { pageLabel } from '../documents/page-label.ts';
import type { GraphSettings } from '../retrieval/search-settings.ts';
import { defaultGraphSettings } from '../retrieval/search-settings.ts';
import { shortLine } from '../shared/text.ts';
import type { Block } from './render-blocks.ts';
import { shortDocumentId } from './short-id.ts';

/** Maximum graph hits shown beside chunks; more would hide the useful ones. */
const MAX_GRAPH_HITS = { entities: 3, relationships: 4, communities: 2 } as const;

/** The settings with limits set to what is shown, unless the request sets its own. */
export const withGraphLimits = (settings: GraphSettings = defaultGraphSettings): GraphSettings => ({
  ...settings,
  limits: { ...MAX_GRAPH_HITS, ...settings.limits },
});

/** Hits with more information than a name. */
export const informativeHits = (hits: readonly GraphHit[]): GraphHit[] =>
  hits.filter(({ found }) => (found.kind === 'community' ? found.summary !== '' : found.description !== ''));

/** Informative hits within the limits per kind. */
export function limitInformative(hits: readonly GraphHit[]): GraphHit[] {
  const left = {
    entity: MAX_GRAPH_HITS.entities,
    relationship: MAX_GRAPH_HITS.relationships,
    community: MAX_GRAPH_HITS.communities,
  } as Record<GraphHit['found']['kind'], number>;
  return informativeHits(hits).filter(({ found }) => left[found.kind]-- > 0);
}

const MAX_NAMED_DOCUMENTS = 3;

/** `Knowledge graph · entity · from Title · page 4 · 1f0c9a2b`, followed by the description. */
export const graphBlock = (hit: GraphHit): Block => {
  const documents = hit.documents.slice(0, MAX_NAMED_DOCUMENTS);
  const from =
    documents.length === 0 ? 'made by hand' : `from ${documents.map(({ title }) => shortLine(title)).join('; ')}`;
  const { sentence } = hit;
  const places = sentence && [
    ...(sentence.page === null ? [] : [pageLabel(sentence.documentType, sentence.page)]),
    shortDocumentId(sentence.documentId),
  ];
  return {
    label: ['Knowledge graph', hit.found.kind, from, ...(places ?? [])].join(' · '),
    text: shortLine(graphHitText(hit), MAX_TEXT_LENGTH),
    rest: () => '(cut)',
  };
};

/** The first hits that fit uncut into this many characters. */
export function hitsThatFit(hits: readonly GraphHit[], max: number): GraphHit[] {
  let available = max;
  return hits.filter((hit) => {
    const { label, text } = graphBlock(hit);
    const needed = label.length + text.length + BLOCK_OVERHEAD;
    if (text.endsWith('…') || needed > available) return false;
    available -= needed;
    return true;
  });
}

// Marker, line break and blank line after a block.
const BLOCK_OVERHEAD = 10;
const MAX_TEXT_LENGTH = 600;
