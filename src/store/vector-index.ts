/** Names a vector space. Vectors of two spaces are never compared. */
export interface VectorSpaceName {
  /** Provider-qualified, e.g. `openai/text-embedding-3-small`. */
  readonly embedder: string;
  /** Changes whenever the same text would yield another vector. */
  readonly version: string;
  readonly dimensions: number;
}

export interface VectorRecord {
  /** The chunk's integer key in the record store; never reused. */
  readonly key: number;
  readonly vector: Float32Array;
}

export interface VectorHit {
  readonly key: number;
  /** Cosine distance, 0 (same direction) to 2. */
  readonly distance: number;
}

/**
 * Approximate nearest neighbours of one space. An index and no more: everything in it can be rebuilt from the
 * record store. Every method throws ServiceError('store_failed') when the index cannot answer.
 */
export interface VectorCollection {
  /** Adds or replaces; idempotent. Returns when the records are found by `nearest`. */
  upsert(records: readonly VectorRecord[]): Promise<void>;
  /** Removes those that are there; unknown keys are ignored. */
  remove(keys: readonly number[]): Promise<void>;
  /** The closest first; fewer than `limit` only when the collection holds fewer. */
  nearest(vector: Float32Array, limit: number, signal?: AbortSignal): Promise<VectorHit[]>;
  count(): Promise<number>;
  /** Keys in no particular but stable order. */
  keys(page: { readonly offset: number; readonly limit: number }): Promise<number[]>;
}

export interface VectorIndex {
  /** The collection of that name, made when absent. `name` is unique per space. */
  open(name: string, dimensions: number): Promise<VectorCollection>;
  drop(name: string): Promise<void>;
  /** Names of all collections that are ours. */
  list(): Promise<string[]>;
  /** True when it answers within a second or so. */
  isHealthy(): Promise<boolean>;
  /** Told whenever the index came back empty or damaged and must be checked against the record store. */
  onRecovered(listener: () => void): void;
  close(): Promise<void>;
}

/** How thoroughly the index is built: links of a vector, and candidates weighed for them. */
export const indexGraph = { neighbours: 16, construction: 100 } as const;
