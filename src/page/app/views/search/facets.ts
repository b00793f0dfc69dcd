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
