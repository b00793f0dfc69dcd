export type Scalar = string | number | boolean;

/**
 * A condition on documents and chunks, docs/contract.md 4.2, as a closed union.
 *
 * `field` is a path: a built-in name (`id`, `document_id`, `owner_id`, `collection_ids`, `title`, `document_type`,
 * `created_at`, `updated_at`, `text`, `chunk_order`, `page_number`…) or `metadata.<path>`; any other bare name means
 * `metadata.<name>`. An absent field fails every comparison but `ne`, `notIn` and `isNull`.
 */
export type Filter =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
      readonly value: Scalar;
    }
  | { readonly kind: 'isNull' | 'isNotNull'; readonly field: string }
  /** `in`: the value is one of `values`, or an array that contains one of them. */
  | { readonly kind: 'in' | 'notIn'; readonly field: string; readonly values: readonly Scalar[] }
  /** Array fields: `overlap` shares an element, `contains` contains all, `exactly` equals the set in any order. */
  | { readonly kind: 'overlap' | 'contains' | 'exactly'; readonly field: string; readonly values: readonly Scalar[] }
  /** SQL pattern with `%` and `_`. */
  | { readonly kind: 'like'; readonly field: string; readonly pattern: string; readonly caseSensitive: boolean }
  /** The metadata value contains this JSON, in the sense of PostgreSQL's `@>`. */
  | { readonly kind: 'jsonContains'; readonly field: string; readonly value: import('./document.ts').Json };

export const everything: Filter = { kind: 'all' };

/** A single document, and its chunks. */
export const isDocument = (id: string): Filter => ({ kind: 'compare', field: 'document_id', op: 'eq', value: id });

/** The documents of a user, and their chunks. */
export const ownedBy = (userId: string): Filter => ({ kind: 'compare', field: 'owner_id', op: 'eq', value: userId });

/** Conjunction of the filters. Flattens nested conjunctions and drops filters that are always true. */
export function allOf(...filters: readonly Filter[]): Filter {
  const needed = filters.flatMap((filter) =>
    filter.kind === 'all' ? [] : filter.kind === 'and' ? filter.filters : [filter],
  );
  if (needed.some((filter) => filter.kind === 'none')) return { kind: 'none' };
  const [only] = needed;
  if (only === undefined) return everything;
  return needed.length === 1 ? only : { kind: 'and', filters: needed };
}
