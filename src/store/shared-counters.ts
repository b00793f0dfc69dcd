/** A count within a fixed time window, which begins with the first event counted. */
export interface WindowCount {
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

/** Named counters with time windows, shared by all servers on a database. */
export interface SharedCounters {
  /**
   * Increments the counter; the first increment begins a window of this many seconds. While the database is
   * unavailable, only the events of this server are counted.
   */
  add(name: string, seconds: number): Promise<WindowCount>;
  /** Reverts one `add`. */
  undo(name: string, seconds: number): Promise<void>;
  forget(name: string): Promise<void>;
  /** The count in the current window. */
  get(name: string): Promise<number>;
  /** Counters whose names begin with the prefix. Throws if the database is unavailable. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>;
}
