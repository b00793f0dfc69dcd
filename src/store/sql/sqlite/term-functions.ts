import type { DatabaseSync } from 'node:sqlite';
import { analyseForIndex } from '../../full-text/analyse.ts';

/**
 * Registers the SQL function `index_terms(title, heading_path, text)`: the full-text terms of a chunk, as JSON with
 * `title` and `body`. As a function it runs inside the statement that fills the index, and texts stay in the thread.
 */
export function registerTermFunctions(database: DatabaseSync): void {
  database.function('index_terms', { deterministic: true }, (title, headingPath, text) => {
    const headings: unknown = typeof headingPath === 'string' ? JSON.parse(headingPath) : [];
    return JSON.stringify(
      analyseForIndex({
        title: typeof title === 'string' ? title : '',
        headingPath: Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [],
        text: typeof text === 'string' ? text : '',
      }),
    );
  });
}
