import { embedInBatches } from '../embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { GraphNameRecords } from '../store/graph-records.ts';

/** Only the most mentioned names have vectors, because a search compares with all of them. */
const NAMES_WITH_VECTOR = 20_000;
const AT_ONCE = 512;

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
  const names = await records.unembeddedNames(space, NAMES_WITH_VECTOR);
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
