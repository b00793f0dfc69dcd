import type { ChromaClient, Collection } from 'chromadb';
import { indexGraph } from '../vector-index.ts';

/** Collection metadata that marks that every record has its access scope. */
export const HAS_SCOPES = { places: 1 };

// Measured at 384 dimensions (docs/decisions.md): records that are not yet persisted are read again at every write, 38
// µs each, so a high threshold makes single writes slow, and the default of 1,000 makes loading 100,000 records slow.
const SYNC_THRESHOLD = 2_000;
/** Candidates of a query, from which the nearest are returned; a query for more hits has as many candidates as hits. */
export const EF_SEARCH = 100;

/** Gets the collection of that name, or creates it with this metadata. */
export function makeCollection(
  client: ChromaClient,
  name: string,
  metadata: Readonly<Record<string, number>>,
): Promise<Collection> {
  return client.getOrCreateCollection({
    name,
    // Null prevents the client from loading its own embedder.
    embeddingFunction: null,
    metadata: { ...metadata },
    configuration: {
      hnsw: {
        space: 'cosine',
        ef_construction: indexGraph.construction,
        ef_search: EF_SEARCH,
        max_neighbors: indexGraph.neighbours,
        sync_threshold: SYNC_THRESHOLD,
      },
    },
  });
}
