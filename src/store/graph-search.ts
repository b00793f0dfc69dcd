import type { Filter } from '../documents/filter.ts';
import type { GraphHit } from '../documents/graph-hit.ts';

export interface GraphQuery {
  readonly text: string;
  /** Of the query, where names are kept with vectors of its space. */
  readonly vector: Float32Array | null;
  /**
   * On chunks; what no passing chunk says is not there. A row made by hand counts as something of its collection that
   * belongs to the collection's owner.
   */
  readonly filter: Filter;
  readonly limits: {
    readonly entities: number;
    readonly relationships: number;
    readonly communities: number;
  };
  readonly signal?: AbortSignal;
}

export interface GraphFinding {
  /** Best first within each kind. */
  readonly entities: readonly GraphHit[];
  readonly relationships: readonly GraphHit[];
  readonly communities: readonly GraphHit[];
}

/**
 * Finds entities by name, what they are related to over one and two steps, and the communities that tell of the query,
 * each with the chunks where it stands. Every text in it comes from documents that pass the filter, or was made by hand in
 * a graph that passes.
 */
export interface GraphSearch {
  search(query: GraphQuery): Promise<GraphFinding>;
}
