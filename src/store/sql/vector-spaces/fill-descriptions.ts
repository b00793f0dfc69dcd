import { descriptionText } from '../../../embeddings/description-text.ts';
import { isSemantic } from '../../../embeddings/embedding-model.ts';
import type { FillSpace } from './fill-space.ts';
import { keepDescriptionVectors, unembeddedDescriptions } from './sql-descriptions.ts';

const BATCH = 256;

/** Computes the vectors of document descriptions for a space that is being filled. */
export async function fillDescriptions({
  sqlite,
  space,
  embedder,
  signal,
}: Pick<FillSpace, 'sqlite' | 'space' | 'embedder' | 'signal'>): Promise<void> {
  // Descriptions in the current space are embedded by a separate background job; with a lexical embedder full-text
  // search replaces vectors.
  if (space.state === 'current' || !isSemantic(embedder)) return;
  for (;;) {
    signal.throwIfAborted();
    const unembedded = await unembeddedDescriptions(sqlite.reader, space.key, BATCH);
    if (unembedded.length === 0) return;
    const vectors = await embedder.embed(unembedded.map(descriptionText), 'passage', signal);
    const described = unembedded.flatMap((description, index) => {
      const vector = vectors[index];
      return vector === undefined ? [] : [{ description, vector }];
    });
    await sqlite.writer
      .transaction()
      .execute((transaction) => keepDescriptionVectors(transaction, space.key, described));
    // A description that changes repeatedly must not keep the re-embedding from ending; the background job embeds it
    // afterwards.
    if (unembedded.length < BATCH) return;
  }
}
