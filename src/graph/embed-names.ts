import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { GraphNameRecords } from '../store/graph-records.ts';

/** Only the most mentioned names have vectors, because a search compares with all of them. */
const MAX_EMBEDDED_NAMES = 20_000;
const BATCH_SIZE = 512;

/**
 * Embeds names in the current space: new ones and, after a change of the embedder, all of them. With a lexical embedder
 * nothing is embedded, because full-text search on the names is equivalent.
 */
export async function embedNames(
  records: GraphNameRecords,
  embedder: EmbeddingModel,
  signal: AbortSignal,
): Promise<number> {
  if (embedder.isLexical) return 0;
  const space = await embedder.space(signal);
  const names = await records.unembeddedNames(space, MAX_EMBEDDED_NAMES);
  for (let at = 0; at < names.length; at += BATCH_SIZE) {
    const some = names.slice(at, at + BATCH_SIZE);
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
