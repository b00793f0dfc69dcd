import { analyseQuery } from '../../full-text/analyse.ts';
import { type GraphSearch, noGraphFinding } from '../../graph-search.ts';
import type { Database } from '../database.ts';
import { compileChunkFilter } from '../search/compile-filter.ts';

/** Graph search in the reader threads, unless there is nothing to search. */
export function createGraphSearch({ search }: Pick<Database, 'search'>): GraphSearch {
  return {
    async search({ text, vector, filter, limits, signal }) {
      // Waking a thread for nothing would delay the search for passages.
      if (search.direct?.isGraphEmpty() === true) return noGraphFinding;
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
