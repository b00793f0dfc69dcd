/** Whether the vector index matches the record store. Only an index that is or was `in_step` may be searched alone. */
export type IndexState =
  | { readonly kind: 'in_step' }
  /**
   * Not compared with the record store yet, e.g. after a start. `wasInStep` if it was in step before and every later
   * change is in it or pending: its hits are then correct, and few can be missing.
   */
  | { readonly kind: 'checking'; readonly wasInStep?: boolean }
  | { readonly kind: 'rebuilding'; readonly done: number; readonly total: number }
  /** The index does not answer; checked again automatically every few seconds. */
  | { readonly kind: 'down'; readonly reason: string };

/** Keeps the vector index in step with the record store. */
export interface IndexMaintenance {
  state(): IndexState;
  /**
   * Applies pending writes to the index; returns when none are left. Throws ServiceError('store_failed') when the index
   * is down.
   */
  replayOutbox(): Promise<void>;
  /** Also compares the contents of the index with the record store, and repairs it. Searches continue meanwhile. */
  audit(): Promise<void>;
  /** Reports that the index failed to answer; it counts as down until it has been compared with the records again. */
  reportFailure(error: unknown): void;
}
