import { analyseQuery } from '../../full-text/analyse.ts';
import type { GraphSearch } from '../../graph-search.ts';
import type { Database } from '../database.ts';
import { compileChunkFilter } from '../search/compile-filter.ts';

/** Graph search in the reader threads. */
export function createGraphSearch({ search }: Pick<Database, 'search'>): GraphSearch {
  return {
    search({ text, vector, filter, limits, signal }) {
      const query = {
        terms: analyseQuery(text),
        vector,
        filter: compileChunkFilter(search.dialect, filter),
        onGraphs: filter,
        limits,
      };
      return search.call('searchGraph', query, signal);
    },
  };
}
