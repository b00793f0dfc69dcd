import type { Paged } from '../store/corpus.ts';

/** Wraps a single result (docs/contract.md 1). */
export const single = <T>(results: T) => ({ results });

/** Wraps a page of results with the total count before paging. */
export const list = <T>(results: readonly T[], total: number) => ({ results, total_entries: total });

/** Wraps a page of records, each converted by `show`. */
export const page = <T, Shown>({ items, total }: Paged<T>, show: (item: T) => Shown) => list(items.map(show), total);
