/** Whether the vector index holds what the record store says it should. Only `in_step` may be searched alone. */
export type IndexState =
  | { readonly kind: 'in_step' }
  /** Not yet compared with the record store, as after a start. */
  | { readonly kind: 'checking' }
  | { readonly kind: 'rebuilding'; readonly done: number; readonly total: number }
  /** Does not answer; asked again by itself every few seconds. */
  | { readonly kind: 'down'; readonly reason: string };

/** Keeps the vector index in step with the record store. */
export interface IndexMaintenance {
  state(): IndexState;
  /** Hands the index what it is owed; returns when nothing is. Throws ServiceError('store_failed') when it is down. */
  replayOutbox(): Promise<void>;
  /** Also compares what the index holds with what it should, and repairs it. Searches go on meanwhile. */
  audit(): Promise<void>;
}
