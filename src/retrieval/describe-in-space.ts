import { descriptionText } from '../embeddings/description-text.ts';
import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import { type EmbeddingModel, knowsMeaning } from '../embeddings/embedding-model.ts';
import type { DescriptionVectors } from '../store/description-records.ts';

const AT_ONCE = 256;

/**
 * Gives descriptions that came or changed their vectors in the space that is searched; how many. Where nearness only
 * means shared words, full text does the same better, and nothing is embedded.
 */
export async function describeInSpace(
  records: DescriptionVectors,
  embedder: EmbeddingModel,
  signal: AbortSignal,
): Promise<number> {
  if (!knowsMeaning(embedder)) return 0;
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const space = await embedder.space(signal);
    const bare = await records.bare(space, AT_ONCE);
    if (bare.length === 0) return done;
    const texts = bare.map(descriptionText);
    const vectors = await embedInBatches(embedder, texts, { kind: 'passage', signal, concurrency: 1 });
    const described = bare.flatMap((description, place) => {
      const vector = vectors[place];
      return vector === undefined ? [] : [{ description, vector }];
    });
    await records.keep(space, described);
    done += bare.length;
    // Fewer than were asked for: that was all, and what has changed meanwhile is told of.
    if (bare.length < AT_ONCE) return done;
  }
}
