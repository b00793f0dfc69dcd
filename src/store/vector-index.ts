import { ServiceError } from '../errors.ts';
import type { AccessScope, ScopeCondition } from './access-scope.ts';

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
  /** Stored if the collection has access scopes. */
  readonly scope?: AccessScope;
}

export interface VectorHit {
  readonly key: number;
  /** Cosine distance, 0 (same direction) to 2. */
  readonly distance: number;
}

/** The index runs but answers a request with an error every time, e.g. because its files are damaged. */
export class RequestRefused extends ServiceError {
  constructor({ message, cause }: ServiceError) {
    super('store_failed', message, { cause });
  }
}

/** The index is healthy but currently accepts no more calls, e.g. because of a rate limit. */
export class IndexBusy extends ServiceError {
  constructor(message: string, { cause, retryAfter }: { readonly cause: unknown; readonly retryAfter: number }) {
    super('store_failed', message, { cause, retryAfter });
  }
}

/**
 * Approximate nearest-neighbour index of one space. Everything in it can be rebuilt from the record store. Every method
 * throws ServiceError('store_failed') when the index cannot answer.
 */
export interface VectorCollection {
  /** Adds or replaces; idempotent. When it returns, `nearest` finds the records. */
  upsert(records: readonly VectorRecord[]): Promise<void>;
  /** Removes existing keys; unknown keys are ignored. */
  remove(keys: readonly number[]): Promise<void>;
  /** Most hits that `nearest` returns; unlimited when undefined. Falls when the server turns out to allow fewer. */
  readonly maxResults?: number;
  /**
   * Number of vectors that `nearest` chooses from, whatever its limit. Up to this limit, a longer list begins with the
   * shorter one. Undefined if unknown.
   */
  readonly candidates?: number | undefined;
  /**
   * Nearest first; fewer than `limit` and `maxResults` only when the collection holds fewer. `within` restricts the
   * hits to records that fulfil the conditions, but some other records may be among them. Throws `RequestRefused`,
   * and `IndexBusy` after only a short wait; does not wait for a server that is being started again.
   */
  nearest(
    vector: Float32Array,
    limit: number,
    signal?: AbortSignal,
    within?: readonly ScopeCondition[],
  ): Promise<VectorHit[]>;
  /** Undefined if access scopes are not stored; `within` then has no effect. */
  readonly scopes?: StoredScopes | undefined;
  count(): Promise<number>;
  /** Optimises the collection for search if that is only possible once it is filled; called when it is in step. */
  settle?(): Promise<void>;
  /** Recreates the collection, empty. */
  clear(): Promise<void>;
  /** Keys in an arbitrary but stable order. */
  keys(page: { readonly offset: number; readonly limit: number }): Promise<number[]>;
}

/** The access scopes of the records of a collection. */
export interface StoredScopes {
  /** False until each record has its scope, as in a collection written by an earlier version. */
  areComplete(): boolean;
  /** Replaces the scopes of existing records; unknown keys are ignored. */
  set(records: readonly { readonly key: number; readonly scope: AccessScope }[]): Promise<void>;
  /** Records that every record now has its scope. */
  complete(): Promise<void>;
}

export interface VectorIndex {
  /** Whether access scopes are written to it. */
  readonly storesScopes?: boolean;
  /** True when only this process uses it, so that a damaged collection may be dropped and filled again. */
  readonly isOurs: boolean;
  /** True when it is stored in the database of the records and is as durable as they are. */
  readonly isInDatabase?: boolean;
  /** The collection of that name, created when absent. `name` is unique per space. */
  open(name: string, dimensions: number): Promise<VectorCollection>;
  drop(name: string): Promise<void>;
  /** Names of all collections that belong to Citewell. */
  list(): Promise<string[]>;
  /** True when the index answers within about a second. */
  isHealthy(): Promise<boolean>;
  /** True while a server started by this process is not up for the first time yet, so that no failure is known. */
  isStarting?(): boolean;
  /** Size of its files in bytes, if known. Removed vectors keep their slot until the index is rebuilt. */
  bytes?(): Promise<number>;
  /** Deletes everything and frees the space; `onRecovered` listeners are called. */
  renew?(): Promise<void>;
  /**
   * Registers a listener for the index coming back empty or damaged, when it must be checked against the record store.
   */
  onRecovered(listener: () => void): void;
  close(): Promise<void>;
}

/** HNSW build parameters: links per vector (M), and candidates considered for them (ef_construction). */
export const indexGraph = { neighbours: 16, construction: 100 } as const;

export const isSameSpace = (one: VectorSpaceName, two: VectorSpaceName): boolean =>
  one.embedder === two.embedder && one.version === two.version && one.dimensions === two.dimensions;
