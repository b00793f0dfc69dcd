/** What embedders have learned from the corpus, and what they learn from. */
export interface LearnedEmbedders {
  /** The bytes as they were kept; undefined when there are none of that version. */
  read(embedder: string, version: string): Promise<Uint8Array | undefined>;
  /** On disk when it returns, whole or not at all. */
  keep(embedder: string, version: string, artefact: Uint8Array): Promise<void>;
  /** Removes what no vector space is of. */
  forgetUnused(): Promise<number>;
  /** Chunks that can be searched. */
  countPassages(): Promise<number>;
  /** What is embedded of visible chunks, a few at a time: of all, or of about so many, spread over the corpus and the same each time. */
  passages(most: number, signal: AbortSignal): AsyncGenerator<readonly string[], void>;
  /** The embedder a person has chosen for this corpus by re-embedding it; undefined when nobody has. */
  chosen(): Promise<string | undefined>;
  choose(embedder: string): Promise<void>;
}
