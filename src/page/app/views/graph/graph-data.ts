import { call } from '../../api/request.ts';
import { sourceAddress } from '../../router.ts';
import { type ChunkText, type GraphEdge, type GraphView, sentenceLocation } from './graph-shape.ts';

/** Number of nodes drawn initially; below, the maximum. */
export const INITIAL_NODES = 150;
export const MAX_NODES = 1000;
const EDGES_PER_NODE = 6;

export const loadGraph = (collection: string, nodes: number, signal: AbortSignal): Promise<GraphView> =>
  call<GraphView>(`/v3/graphs/${encodeURIComponent(collection)}/view`, {
    query: { limit: nodes, edges: nodes * EDGES_PER_NODE },
    signal,
  });

/** Builds the communities of a graph. Throws if the user may not change the collection. */
export const findCommunities = (collection: string): Promise<unknown> =>
  call(`/v3/graphs/${encodeURIComponent(collection)}/communities/build`, { method: 'POST', body: {} });

/** URL of the sentence that states a relationship; undefined for manually created ones. */
export async function sentenceAddress(collection: string, edge: GraphEdge): Promise<string | undefined> {
  const row = await call<{ readonly chunk_ids: readonly string[] }>(
    `/v3/graphs/${collection}/relationships/${edge.id}`,
  );
  const chunks: ChunkText[] = [];
  for (const id of row.chunk_ids.slice(0, MAX_CHUNKS)) {
    const chunk = await call<ChunkText>(`/v3/chunks/${id}`);
    chunks.push(chunk);
    if (chunk.text.includes(edge.description)) break;
  }
  const location = sentenceLocation(chunks, edge.description);
  return location && sourceAddress(location.documentId, location);
}

const MAX_CHUNKS = 20;
