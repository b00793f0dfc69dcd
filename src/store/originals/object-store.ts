/** Bytes of an object or a file from `start` to `end`, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ReadOptions {
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Storage of named objects outside the database, which holds the uploaded files. Every method throws `store_failed`,
 * with a message for users, when the storage does not answer or refuses a request. Temporary failures are retried
 * several times first, and the error then has `retryAfter`.
 */
export interface ObjectStore {
  /** Location, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /** The location with its host, for messages. */
  readonly name: string;
  put(object: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Undefined if there is no such object. Resolves once the response has begun. */
  get(object: string, options?: ReadOptions): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Does nothing if there is no such object. */
  remove(object: string, signal?: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `start`, in no particular order. */
  list(start: string, signal?: AbortSignal): AsyncIterable<string>;
  /** What is wrong with the storage, for users; undefined if nothing is. The underlying probe may be cached briefly. */
  problem(): Promise<string | undefined>;
}

/** What still works, and what does not, while the storage is unavailable. */
export const WHILE_UNAVAILABLE =
  'Search and answers work on; uploads, downloads of files and page images do not until it is back.';
