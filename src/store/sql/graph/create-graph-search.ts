import { analyseQuery } from '../../full-text/analyse.ts';
import type { GraphSearch } from '../../graph-search.ts';
import { compileChunkFilter } from '../search/compile-filter.ts';
import type { Sqlite } from '../sqlite/open-sqlite.ts';

/** Graph search in the reader threads. */
export function createGraphSearch({ search }: Pick<Sqlite, 'search'>): GraphSearch {
  return {
    search({ text, vector, filter, limits, signal }) {
      const query = { terms: analyseQuery(text), vector, filter: compileChunkFilter(filter), onGraphs: filter, limits };
      return search.call('searchGraph', query, signal);
    },
  };
}
