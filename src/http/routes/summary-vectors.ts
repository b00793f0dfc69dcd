import type { Document } from '../../documents/document.ts';
import { descriptionText } from '../../embeddings/description-text.ts';
import { embedInBatches } from '../../embeddings/embed-in-batches.ts';
import type { HttpServices } from '../http-services.ts';

/** Vectors of titles and summaries by document: stored ones, and the others embedded now. */
export async function summaryVectors(
  documents: readonly Document[],
  {
    descriptions,
    embeddings,
  }: { readonly descriptions: HttpServices['descriptions'] | undefined } & Pick<HttpServices, 'embeddings'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array>> {
  const described = documents.filter(({ summary }) => summary !== null);
  const kept = await descriptions?.vectorsOf(described.map(({ id }) => id));
  const bare = described.filter(({ id }) => kept?.has(id) !== true);
  const made = await embedInBatches(embeddings, bare.map(descriptionText), { kind: 'passage', signal });
  const vectors = new Map(kept);
  for (const [index, { id }] of bare.entries()) {
    const vector = made[index];
    if (vector !== undefined) vectors.set(id, vector);
  }
  return vectors;
}
