import { descriptionText } from '../../embeddings/description-text.ts';
import { knowsMeaning } from '../../embeddings/embedding-model.ts';
import type { FillSpace } from './fill-space.ts';
import { bareDescriptions, keepDescriptionVectors } from './sql-descriptions.ts';

const BATCH = 256;

/** Gives what documents are described by vectors in a space that is being filled. */
export async function fillDescriptions({
  sqlite,
  space,
  embedder,
  signal,
}: Pick<FillSpace, 'sqlite' | 'space' | 'embedder' | 'signal'>): Promise<void> {
  // Those of the space that is searched are seen to beside everything else; and where nearness only means shared words,
  // the words themselves are searched.
  if (space.state === 'current' || !knowsMeaning(embedder)) return;
  for (;;) {
    signal.throwIfAborted();
    const bare = await bareDescriptions(sqlite.reader, space.key, BATCH);
    if (bare.length === 0) return;
    const vectors = await embedder.embed(bare.map(descriptionText), 'passage', signal);
    const described = bare.flatMap((description, place) => {
      const vector = vectors[place];
      return vector === undefined ? [] : [{ description, vector }];
    });
    await sqlite.writer
      .transaction()
      .execute((transaction) => keepDescriptionVectors(transaction, space.key, described));
    // One that is changed again and again must not keep the move from ending; it is done afterwards.
    if (bare.length < BATCH) return;
  }
}
