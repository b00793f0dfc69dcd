/**
 * Contexts that models wrote for chunks (contextual retrieval), cached so that no chunk is sent, and paid for, twice.
 */
export interface ChunkContextRecords {
  /** The known contexts among these hashes, by hash. */
  known(documentId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Saves one context immediately, so that an interrupted ingestion resumes where it stopped. */
  keep(documentId: string, hash: string, context: string): Promise<void>;
  /** Deletes all contexts of a document except these. */
  forgetOthers(documentId: string, hashes: readonly string[]): Promise<void>;
}
