import { call } from '../../api/request.ts';
import type { MetadataValue } from './search-address.ts';

export interface Counted<T> {
  readonly value: T;
  readonly count: number;
}

/** Available filter values, with counts over all documents that the user can search. */
export interface Facets {
  readonly documents: number;
  readonly types: readonly Counted<string>[];
  readonly collections: readonly { readonly id: string; readonly name: string; readonly count: number }[];
  readonly metadata: readonly { readonly key: string; readonly values: readonly Counted<MetadataValue>[] }[];
}

export const loadFacets = (signal: AbortSignal): Promise<Facets> => call<Facets>('/v3/documents/facets', { signal });

/** A value as it is shown: "2002-02-25T15:43:11Z" without the seconds and signs that only programs need. */
export const facetLabel = (value: MetadataValue): string =>
  String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/, '$1 $2');
