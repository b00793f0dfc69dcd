import type { Chunk } from '../documents/chunk.ts';
import type { Metadata } from '../documents/document.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus } from '../store/corpus.ts';
import { embeddingText } from './embedding-text.ts';

export interface ChunkEdit {
  readonly text?: string;
  readonly metadata?: Metadata;
}

interface EditParts {
  readonly corpus: Pick<Corpus, 'editChunk'>;
  readonly embeddings: EmbeddingModel;
}

/** Changes a chunk's text and its own metadata. New text is embedded before anything is written. */
export async function editChunk(
  { corpus, embeddings }: EditParts,
  chunk: Chunk,
  { text, metadata }: ChunkEdit,
  signal: AbortSignal,
): Promise<Chunk> {
  const change = metadata === undefined ? {} : { metadata };
  if (text === undefined || text === chunk.text) return corpus.editChunk(chunk.id, change);
  const embeddedIn = await embeddings.space(signal);
  const title = String(chunk.metadata['title'] ?? '');
  const [vector] = await embeddings.embed([embeddingText({ ...chunk, title, text })], 'passage', signal);
  if (vector === undefined) {
    throw new ServiceError(
      'provider_failed',
      `The embedder ${embeddings.name} returned no embedding for the chunk. Try again.`,
    );
  }
  return corpus.editChunk(chunk.id, { ...change, words: { text, vector, embeddedIn } });
}
