import type { Paged } from '../store/corpus.ts';

/** A single result as it is wrapped on the wire (r2r-v3.md 1). */
export const single = <T>(results: T) => ({ results });

/** A page of results with the count before paging. */
export const list = <T>(results: readonly T[], total: number) => ({ results, total_entries: total });

/** A page of records, each shown by `show`. */
export const page = <T, Shown>({ items, total }: Paged<T>, show: (item: T) => Shown) => list(items.map(show), total);
