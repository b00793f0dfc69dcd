/** What a list of documents can be sorted by. */
export const documentSorts = ['title', 'size_in_bytes', 'created_at', 'ingestion_status'] as const;
export type DocumentSort = (typeof documentSorts)[number];

/**
 * The order of a list of documents. A status counts as failed, in progress or ready, in this order. Documents that are
 * equal are in the order in which they were added, so that one order is exactly the reverse of the other.
 */
export interface DocumentOrder {
  readonly by: DocumentSort;
  readonly direction: 'asc' | 'desc';
}

export const newestFirst: DocumentOrder = { by: 'created_at', direction: 'desc' };

/** The direction in which a reader usually wants the list first. */
export const usualDirection = (by: DocumentSort): DocumentOrder['direction'] =>
  by === 'created_at' || by === 'size_in_bytes' ? 'desc' : 'asc';
