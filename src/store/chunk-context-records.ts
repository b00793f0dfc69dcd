/** What models wrote to place passages in their document, kept so that the same is not asked, and paid for, twice. */
export interface ChunkContextRecords {
  /** Of these hashes those that are known, by hash. */
  known(documentId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Written down at once, so that an ingestion that is interrupted goes on where it was. */
  keep(documentId: string, hash: string, context: string): Promise<void>;
  /** Forgets all of a document but these. */
  forgetOthers(documentId: string, hashes: readonly string[]): Promise<void>;
}
