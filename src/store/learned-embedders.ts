/** Artefacts of embedders trained on the corpus, and their training data. */
export interface LearnedEmbedders {
  /** The stored bytes; undefined when there are none of that version. */
  read(embedder: string, version: string): Promise<Uint8Array | undefined>;
  /** Saves the artefact atomically; it is on disk when this returns. */
  keep(embedder: string, version: string, artefact: Uint8Array): Promise<void>;
  /** Removes artefacts that no vector space uses; returns their number. */
  forgetUnused(): Promise<number>;
  /** Number of searchable chunks. */
  countStoredChunks(): Promise<number>;
  /**
   * The embedded texts of visible chunks, in small batches: of all, or of a sample of about `max`, spread over the
   * corpus and the same each time.
   */
  chunkTexts(max: number, signal: AbortSignal): AsyncGenerator<readonly string[], void>;
  /** The embedder chosen for this corpus by an explicit re-embedding; undefined when there is none. */
  chosen(): Promise<string | undefined>;
  choose(embedder: string): Promise<void>;
}
