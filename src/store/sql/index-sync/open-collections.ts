import type { VectorCollection, VectorIndex } from '../../vector-index.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';

/** The index's collections, each opened once. */
export interface OpenCollections {
  open(space: Pick<SpaceRow, 'collection' | 'dimensions'>): Promise<VectorCollection>;
  drop(name: string): Promise<void>;
}

export function openCollections(index: VectorIndex): OpenCollections {
  const opened = new Map<string, Promise<VectorCollection>>();
  return {
    open({ collection, dimensions }) {
      const known = opened.get(collection);
      if (known !== undefined) return known;
      const opening = index.open(collection, dimensions);
      opened.set(collection, opening);
      // A failed opening is retried by the next caller.
      opening.catch(() => opened.delete(collection));
      return opening;
    },
    async drop(name) {
      opened.delete(name);
      await index.drop(name);
    },
  };
}
