import type { MetadataValue } from './search-address.ts';

/** The fields of a document record that facets use. */
export interface FacetSource {
  readonly document_type: string;
  readonly collection_ids: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Counted<T> {
  readonly value: T;
  readonly count: number;
}

export interface MetadataFacet {
  readonly key: string;
  readonly values: readonly Counted<MetadataValue>[];
}

export interface Facets {
  readonly types: readonly Counted<string>[];
  readonly collections: readonly Counted<string>[];
  readonly metadata: readonly MetadataFacet[];
}

const MAX_VALUES = 12;
const MAX_KEYS = 8;
/** Metadata keys written by the service. */
const OWN_KEYS: ReadonlySet<string> = new Set(['version', 'failure', 'title', 'document_type']);

/** Facets of the documents: a metadata key qualifies if it has few values and one of them occurs more than once. */
export function facetsOf(documents: readonly FacetSource[]): Facets {
  const types = new Map<string, number>();
  const collections = new Map<string, number>();
  const keys = new Map<string, Map<MetadataValue, number>>();
  const add = <T>(counts: Map<T, number>, value: T) => counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const { document_type: type, collection_ids: ids, metadata } of documents) {
    add(types, type);
    for (const id of ids) add(collections, id);
    for (const [key, value] of Object.entries(metadata)) {
      if (OWN_KEYS.has(key)) continue;
      const values = keys.get(key) ?? new Map<MetadataValue, number>();
      keys.set(key, values);
      for (const each of [value].flat()) if (isValue(each)) add(values, each);
    }
  }
  const metadata = [...keys]
    .filter(([, values]) => values.size > 0 && values.size <= MAX_VALUES && Math.max(...values.values()) > 1)
    .map(([key, values]) => ({ key, values: mostFirst(values) }))
    .toSorted((one, other) => documentsOf(other) - documentsOf(one) || one.key.localeCompare(other.key))
    .slice(0, MAX_KEYS);
  return { types: mostFirst(types), collections: mostFirst(collections), metadata };
}

const isValue = (value: unknown): value is MetadataValue =>
  (typeof value === 'string' && value !== '' && value.length <= 80) ||
  typeof value === 'number' ||
  typeof value === 'boolean';

const documentsOf = ({ values }: MetadataFacet): number => values.reduce((sum, { count }) => sum + count, 0);

const mostFirst = <T extends MetadataValue>(counts: ReadonlyMap<T, number>): Counted<T>[] =>
  [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((one, other) => other.count - one.count || String(one.value).localeCompare(String(other.value)));
