import type { Outline } from '../documents/document.ts';
import { withPlaces } from '../documents/places.ts';
import type { Retriever } from './retriever.ts';

/** The part of a corpus that provides the positions of pages and sections. */
export interface Outlines {
  outlinesOf(ids: readonly string[]): Promise<ReadonlyMap<string, Outline>>;
  at(asOf: string): Pick<Outlines, 'outlinesOf'>;
}

/** Wraps a retriever so that its hits include the pages and sections they span. */
export const withOutlines = (retriever: Retriever, outlines: Outlines): Retriever => ({
  async search(query, settings, signal) {
    const outcome = await retriever.search(query, settings, signal);
    const view = settings.asOf === undefined ? outlines : outlines.at(settings.asOf);
    const known = await view.outlinesOf([...new Set(outcome.chunks.map((chunk) => chunk.documentId))]);
    return { ...outcome, chunks: outcome.chunks.map((chunk) => withPlaces(chunk, known.get(chunk.documentId))) };
  },
});
