import type { Outline } from '../documents/document.ts';
import { withPlaces } from '../documents/places.ts';
import type { Retriever } from './retriever.ts';

/** The part of a corpus that provides the positions of pages and sections. */
export interface Outlines {
  outlinesOf(ids: readonly string[]): Promise<ReadonlyMap<string, Outline>>;
  at(asOf: string): Pick<Outlines, 'outlinesOf'>;
}

/**
 * Wraps a retriever so that all its hits include the pages and sections they span. Chunks of the present are read with
 * them; those of a point in time and merged chunks are not.
 */
export const withOutlines = (retriever: Retriever, outlines: Outlines): Retriever => ({
  async search(query, settings, signal) {
    const { asOf } = settings;
    const outcome = await retriever.search(query, settings, signal);
    const lacking = outcome.chunks.filter(({ merged }) => asOf !== undefined || merged !== undefined);
    if (lacking.length === 0) return outcome;
    const view = asOf === undefined ? outlines : outlines.at(asOf);
    const known = await view.outlinesOf([...new Set(lacking.map((chunk) => chunk.documentId))]);
    return { ...outcome, chunks: outcome.chunks.map((chunk) => withPlaces(chunk, known.get(chunk.documentId))) };
  },
});
