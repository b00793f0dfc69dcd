export interface LearningSource {
  /** Number of chunks in the corpus. */
  readonly chunkCount: number;
  /** The texts of some or all chunks, in batches. */
  readonly texts: AsyncIterable<readonly string[]>;
}

/** Maximum number of chunks sampled for training; the others are folded in (docs/decisions.md). */
export const MAX_CHUNKS_READ = 50_000;
