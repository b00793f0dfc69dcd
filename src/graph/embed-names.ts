import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { GraphNameRecords } from '../store/graph-records.ts';

/** The most mentioned names have a vector; a search compares with all of them, and must stay quick. */
const NAMES_WITH_VECTOR = 20_000;
const AT_ONCE = 512;

/**
 * Gives names vectors of the space that is searched, those that came and, after the corpus moved to another embedder,
 * all anew. Where nearness only means shared words, the words of the names do the same, and nothing is embedded.
 */
export async function embedNames(
  records: GraphNameRecords,
  embedder: EmbeddingModel,
  signal: AbortSignal,
): Promise<number> {
  if (embedder.isLexical) return 0;
  const space = await embedder.space(signal);
  const names = await records.bareNames(space, NAMES_WITH_VECTOR);
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE);
    const texts = some.map(({ name }) => name);
    const vectors = await embedInBatches(embedder, texts, { kind: 'passage', signal, concurrency: 1 });
    await records.keepVectors(
      space,
      some.flatMap(({ key }, place) => {
        const vector = vectors[place];
        return vector === undefined ? [] : [{ key, vector }];
      }),
    );
  }
  return names.length;
}
