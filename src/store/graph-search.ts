import type { Filter } from '../documents/filter.ts';
import type { GraphHit } from '../documents/graph-hit.ts';

export interface GraphQuery {
  readonly text: string;
  /** Vector of the query; null if names have no vectors in its space. */
  readonly vector: Float32Array | null;
  /**
   * Filter on chunks; content that no passing chunk mentions is left out. A manual row is treated as content of its
   * collection, owned by the collection's owner.
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

export const noGraphFinding: GraphFinding = { entities: [], relationships: [], communities: [] };

/**
 * Finds entities by name, their relationships over one and two hops, and the communities relevant to the query, each
 * with its source chunks. All returned text comes from documents that pass the filter, or was entered manually in a
 * graph that passes.
 */
export interface GraphSearch {
  search(query: GraphQuery): Promise<GraphFinding>;
}
