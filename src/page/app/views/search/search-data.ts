import { call } from '../../api/request.ts';
import { type SearchAddress, toFilters } from './search-address.ts';

export interface Leg {
  readonly rank: number;
  readonly score: number;
}

export interface Hit {
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly heading_path: readonly string[];
  readonly score: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly explain?: {
    readonly semantic: Leg | null;
    readonly full_text: Leg | null;
    readonly rerank?: { readonly score: number; readonly rank_before: number };
  };
}

export interface Explanation {
  readonly kind: 'hybrid' | 'semantic' | 'full_text';
  readonly embedder: string;
  readonly semantic_hits: number;
  readonly full_text_hits: number;
  readonly terms: readonly string[];
  readonly corrections: readonly unknown[];
  readonly reranker: string | null;
  readonly milliseconds: Readonly<Record<string, number>>;
}

export interface SearchResults {
  readonly chunk_search_results: readonly Hit[];
  readonly notes?: readonly string[];
  readonly explanation?: Explanation;
}

const switches: Readonly<Record<SearchAddress['kind'], object>> = {
  auto: {},
  hybrid: { use_hybrid_search: true },
  semantic: { use_semantic_search: true, use_fulltext_search: false },
  full_text: { use_semantic_search: false, use_fulltext_search: true },
};

export const search = (address: SearchAddress, signal: AbortSignal): Promise<SearchResults> =>
  call<SearchResults>('/v3/retrieval/search', {
    method: 'POST',
    body: {
      query: address.query,
      explain: true,
      search_settings: {
        ...switches[address.kind],
        filters: toFilters(address),
        limit: address.limit,
        offset: (address.page - 1) * address.limit,
        graph_settings: { enabled: false },
      },
    },
    signal,
  });
