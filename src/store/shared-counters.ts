/** A count within a window of time that began with the first. */
export interface WindowCount {
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

/** Counts by name over all servers that share a database, in windows of time. */
export interface SharedCounters {
  /** Counts one more; a window of so many seconds begins with the first. While the database is away, of this server only. */
  add(name: string, seconds: number): Promise<WindowCount>;
  /** Takes the last one back. */
  undo(name: string, seconds: number): Promise<void>;
  forget(name: string): Promise<void>;
  /** The count in the current window. */
  get(name: string): Promise<number>;
  /** Names that begin so, with their counts. Throws where the database is away. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>;
}
