import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import { foldIn, type LsaModel } from './lsa-model.ts';

const TEXTS_AT_ONCE = 32;

export interface LsaEmbeddingParts {
  readonly name: string;
  /** Reads or makes what was learned; asked once. Throws what keeps it from being used. */
  readonly learned: () => Promise<LsaModel>;
  readonly onPassages?: ((met: PassagesMet) => void) | undefined;
}

/** Passages that were embedded, and of the occurrences of terms in them, how many were known. */
export interface PassagesMet {
  readonly passages: number;
  readonly known: number;
  readonly terms: number;
}

/**
 * Vectors from what was learned of the corpus itself: texts are near when their words are, or stand in the same
 * passages of the corpus as one another. It knows no word that the corpus does not.
 */
export function lsaEmbeddings({ name, learned, onPassages }: LsaEmbeddingParts): EmbeddingModel {
  let asked: Promise<LsaModel> | undefined;
  const model = () => {
    asked ??= learned();
    return asked;
  };
  return {
    name,
    isLexical: true,
    isLearned: true,
    async space() {
      const { version, dimensions } = await model();
      return { embedder: name, version, dimensions };
    },
    async embed(texts, kind, signal) {
      const known = await model();
      const vectors: Float32Array[] = [];
      const met = { passages: texts.length, known: 0, terms: 0 };
      for (const text of texts) {
        if (signal?.aborted) throw new ServiceError('cancelled', 'Embedding was cancelled.', { cause: signal.reason });
        const folded = foldIn(known, text, kind);
        vectors.push(folded.vector);
        met.known += folded.known;
        met.terms += folded.terms;
        // Others get their turn between batches.
        if (vectors.length % TEXTS_AT_ONCE === 0) await setImmediate();
      }
      if (kind === 'passage') onPassages?.(met);
      return vectors;
    },
  };
}
