import type { ScoredChunk } from '../documents/chunk.ts';
import { diversify } from './diversify.ts';
import { foldDuplicates } from './fold-duplicates.ts';
import type { DroppedHit } from './retriever.ts';
import type { ShapingSettings } from './search-settings.ts';

/** Whether post-processing may remove hits, so that more candidates are needed than are shown. */
export const mayRemoveResults = ({ diversity, maxPerDocument, foldDuplicates: folds }: ShapingSettings): boolean =>
  diversity > 0 || maxPerDocument !== null || folds;

/**
 * Post-processes the ranked candidates: first removes duplicates, then limits the hits per document and diversifies.
 */
export function shapeResults(
  found: readonly ScoredChunk[],
  { diversity, maxPerDocument, foldDuplicates: folds }: ShapingSettings,
  drop: (drop: DroppedHit) => void,
): ScoredChunk[] {
  const single = folds ? foldDuplicates(found, drop) : [...found];
  const few = maxPerDocument === null ? single : atMostPerDocument(single, maxPerDocument, drop);
  return diversify(few, diversity);
}

function atMostPerDocument(
  chunks: readonly ScoredChunk[],
  max: number,
  drop: (drop: DroppedHit) => void,
): ScoredChunk[] {
  const counts = new Map<string, number>();
  return chunks.filter(({ id, documentId }) => {
    const count = (counts.get(documentId) ?? 0) + 1;
    counts.set(documentId, count);
    if (count > max) drop({ id, reason: 'max_per_document' });
    return count <= max;
  });
}
