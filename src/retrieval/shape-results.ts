import type { ScoredChunk } from '../documents/chunk.ts';
import { diversify } from './diversify.ts';
import { foldDuplicates } from './fold-duplicates.ts';
import type { Drop } from './retriever.ts';
import type { ShapingSettings } from './search-settings.ts';

/** Whether some of what is found may go, so that more has to be looked at than is shown. */
export const thinsOut = ({ diversity, maxPerDocument, foldDuplicates: folds }: ShapingSettings): boolean =>
  diversity > 0 || maxPerDocument !== null || folds;

/** What of the ranked candidates stays, and in which order: first what says the same goes, then what is too much of one document. */
export function shapeResults(
  found: readonly ScoredChunk[],
  { diversity, maxPerDocument, foldDuplicates: folds }: ShapingSettings,
  drop: (drop: Drop) => void,
): ScoredChunk[] {
  const single = folds ? foldDuplicates(found, drop) : [...found];
  const few = maxPerDocument === null ? single : atMostPerDocument(single, maxPerDocument, drop);
  return diversify(few, diversity);
}

function atMostPerDocument(chunks: readonly ScoredChunk[], most: number, drop: (drop: Drop) => void): ScoredChunk[] {
  const counts = new Map<string, number>();
  return chunks.filter(({ id, documentId }) => {
    const count = (counts.get(documentId) ?? 0) + 1;
    counts.set(documentId, count);
    if (count > most) drop({ id, reason: 'max_per_document' });
    return count <= most;
  });
}
