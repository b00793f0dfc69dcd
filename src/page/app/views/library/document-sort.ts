/** Columns that the list of documents can be sorted by, as the service names them. */
export const sortColumns = ['title', 'size_in_bytes', 'created_at', 'ingestion_status'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Order of the list of documents, stored in the URL as the column, after "-" if descending. */
export interface DocumentSort {
  readonly by: SortColumn;
  readonly order: 'asc' | 'desc';
}

const newestFirst: DocumentSort = { by: 'created_at', order: 'desc' };

export function readSort(text: string | null): DocumentSort {
  const order = text?.startsWith('-') === true ? 'desc' : 'asc';
  const by = sortColumns.find((column) => column === text?.replace(/^-/, ''));
  return by === undefined ? newestFirst : { by, order };
}

/** For the URL; null for the usual order. */
export const writeSort = ({ by, order }: DocumentSort): string | null =>
  by === newestFirst.by && order === newestFirst.order ? null : `${order === 'desc' ? '-' : ''}${by}`;

/** The order after a press on a column: the usual one of the column, or the reverse of the present one. */
export function sortedBy(column: SortColumn, { by, order }: DocumentSort): DocumentSort {
  if (column === by) return { by, order: order === 'asc' ? 'desc' : 'asc' };
  return { by: column, order: column === 'created_at' || column === 'size_in_bytes' ? 'desc' : 'asc' };
}
