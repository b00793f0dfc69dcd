import type { Json } from '../documents/document.ts';

export type SearchMode = 'semantic' | 'full_text' | 'hybrid' | 'advanced';
export const searchModes: readonly SearchMode[] = ['semantic', 'full_text', 'hybrid', 'advanced'];

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  /** Undefined selects the default of the embedder. */
  readonly mode?: SearchMode;
  /** The filter language of the HTTP interface. */
  readonly filters: { readonly [key: string]: Json };
  /** Time (ISO 8601, UTC) of the state to search; undefined means now. */
  readonly asOf?: string;
  readonly explain: boolean;
}

/** Converts a query to the members of a search or RAG request. */
export function toWireQuery({
  query,
  filters,
  limit,
  mode,
  asOf,
  ...rest
}: Omit<SearchQuery, 'offset' | 'explain'> & Partial<SearchQuery>) {
  const kinds = {
    semantic: { use_semantic_search: true, use_fulltext_search: false },
    full_text: { use_semantic_search: false, use_fulltext_search: true },
    hybrid: { use_hybrid_search: true },
  };
  return {
    query,
    ...(mode === 'advanced' && { search_mode: 'advanced' }),
    search_settings: {
      filters,
      limit,
      offset: rest.offset ?? 0,
      explain: rest.explain ?? false,
      ...(asOf !== undefined && { as_of: asOf }),
      ...(mode !== undefined && mode !== 'advanced' && kinds[mode]),
    },
  };
}
