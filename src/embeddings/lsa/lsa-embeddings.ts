import { ServiceError } from '../../errors.ts';
import { lazyResult } from '../../shared/lazy-result.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import type { PackagedModel } from '../static/static-model.ts';
import { yieldPeriodically } from '../yield-periodically.ts';
import { joinPackaged } from './join-packaged.ts';
import { foldIn, type LsaModel } from './lsa-model.ts';

export interface LsaEmbeddingParts {
  readonly name: string;
  /** Loads or trains the model; called once. Throws when the model cannot be used. */
  readonly learned: () => Promise<LsaModel>;
  /** The packaged model, whose vectors are concatenated with the trained ones; loaded on first use. */
  readonly packaged: () => Promise<PackagedModel>;
  readonly onChunksFolded?: ((counts: ChunksFolded) => void) | undefined;
}

/** Number of embedded chunks, and of their term occurrences: those known to the model, and all. */
export interface ChunksFolded {
  readonly chunkCount: number;
  readonly known: number;
  readonly terms: number;
}

/**
 * LSA embeddings trained on the corpus itself: texts are similar when they share words, or words that occur in the same
 * chunks of the corpus. Words absent from the corpus are covered by the packaged embedder only, whose vectors are
 * concatenated.
 */
export function lsaEmbeddings({ name, learned, packaged: load, onChunksFolded }: LsaEmbeddingParts): EmbeddingModel {
  const model = lazyResult(learned);
  return {
    name,
    isLexical: true,
    isLearned: true,
    async space() {
      const { version, dimensions } = await model();
      return { embedder: name, version, dimensions };
    },
    async embed(texts, kind, signal, { areChunks = kind === 'passage' } = {}) {
      const known = await model();
      const packaged = known.centre.length > 0 ? await load() : undefined;
      const vectors: Float32Array[] = [];
      const pause = yieldPeriodically();
      const counts = { chunkCount: texts.length, known: 0, terms: 0 };
      for (const text of texts) {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Embedding was cancelled.', { cause: signal.reason });
        const folded = foldIn(known, text, kind);
        const { vector: learned } = folded;
        vectors.push(packaged ? joinPackaged(packaged, { text, kind, learned, centre: known.centre }) : learned);
        counts.known += folded.known;
        counts.terms += folded.terms;
        await pause(text);
      }
      if (areChunks) onChunksFolded?.(counts);
      return vectors;
    },
  };
}
