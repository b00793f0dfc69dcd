export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly category: string | null;
  readonly description: string;
  readonly mentions: number;
  readonly weight: number;
  readonly community: string | null;
}

export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly description: string;
  readonly weight: number;
}

export interface GraphCommunity {
  readonly id: string;
  readonly label: string;
  readonly level: number;
  readonly size: number;
}

export interface GraphView {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly communities: readonly GraphCommunity[];
  readonly total_nodes: number;
  readonly total_edges: number;
}

export interface ChunkText {
  readonly document_id: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Range of the sentence in the chunk that contains it; otherwise the first chunk. */
export function sentenceLocation(chunks: readonly ChunkText[], sentence: string) {
  const chunk = chunks.find(({ text }) => sentence !== '' && text.includes(sentence)) ?? chunks[0];
  if (chunk === undefined) return undefined;
  const at = sentence === '' ? -1 : chunk.text.indexOf(sentence);
  const start = at < 0 ? chunk.start : chunk.start + at;
  return { documentId: chunk.document_id, start, end: at < 0 ? chunk.end : start + sentence.length };
}

/** Relationships of a node by descending weight, each with the other node. */
export function relationshipsOf(view: GraphView, id: string): readonly { edge: GraphEdge; other: GraphNode }[] {
  const nodes = new Map(view.nodes.map((node) => [node.id, node]));
  return view.edges
    .filter(({ source, target }) => source === id || target === id)
    .flatMap((edge) => {
      const other = nodes.get(edge.source === id ? edge.target : edge.source);
      return other === undefined ? [] : [{ edge, other }];
    })
    .toSorted((one, two) => two.edge.weight - one.edge.weight);
}

/** Communities that get a colour: those with the most visible nodes, in descending order. */
export function shownCommunities(view: GraphView, max: number): readonly GraphCommunity[] {
  const counts = new Map<string, number>();
  for (const { community } of view.nodes) {
    if (community !== null) counts.set(community, (counts.get(community) ?? 0) + 1);
  }
  return view.communities
    .filter(({ id }) => counts.has(id))
    .toSorted((one, other) => (counts.get(other.id) ?? 0) - (counts.get(one.id) ?? 0))
    .slice(0, max);
}

/** A predicate for display: `occurs_with` as "occurs with". */
export const predicateLabel = (label: string): string => label.replaceAll('_', ' ');
