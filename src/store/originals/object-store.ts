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
 * Storage of named objects outside the database, which holds the uploaded files. Every method throws `store_failed`, with
 * a message for people, when the storage does not answer or refuses, and with `retryAfter` where that passes by itself; that is
 * tried several times before.
 */
export interface ObjectStore {
  /** As `s3://bucket/prefix`. */
  readonly place: string;
  /** The place with its host, for messages. */
  readonly name: string;
  put(object: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Undefined where there is no such object. The answer has begun when this returns. */
  get(object: string, options?: ReadOptions): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Does nothing where there is no such object. */
  remove(object: string, signal?: AbortSignal): Promise<void>;
  /** The names of all objects that begin with `start`, in no certain order. */
  list(start: string, signal?: AbortSignal): AsyncIterable<string>;
  /** What is wrong with the storage, for users, by a question asked now or a few seconds ago. */
  problem(): Promise<string | undefined>;
}

/** What works on, and what does not, while the storage is away. */
export const WHILE_AWAY =
  'Search and answers work on; uploads, downloads of files and page images do not until it is back.';
