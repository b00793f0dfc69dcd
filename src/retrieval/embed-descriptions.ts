import { descriptionText } from '../embeddings/description-text.ts';
import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import { type EmbeddingModel, isSemantic } from '../embeddings/embedding-model.ts';
import type { DescriptionVectors } from '../store/description-records.ts';

const BATCH_SIZE = 256;

/**
 * Embeds new and changed descriptions in the current space; returns their number. With a lexical embedder nothing is
 * embedded, because full-text search is better.
 */
export async function embedDescriptions(
  records: DescriptionVectors,
  embedder: EmbeddingModel,
  signal: AbortSignal,
): Promise<number> {
  if (!isSemantic(embedder)) return 0;
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const space = await embedder.space(signal);
    const unembedded = await records.unembedded(space, BATCH_SIZE);
    if (unembedded.length === 0) return done;
    const texts = unembedded.map(descriptionText);
    const vectors = await embedInBatches(embedder, texts, { kind: 'passage', signal, concurrency: 1 });
    const described = unembedded.flatMap((description, place) => {
      const vector = vectors[place];
      return vector === undefined ? [] : [{ description, vector }];
    });
    await records.keep(space, described);
    done += unembedded.length;
    // A batch that is not full means that the queue is empty; later changes are reported separately.
    if (unembedded.length < BATCH_SIZE) return done;
  }
}
