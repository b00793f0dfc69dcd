import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Index for finding the sources with an item at an address. PostgreSQL's B-tree indexes reject long addresses. */
export const sourceItemAddresses: SharedStep = {
  worksFrom: 24,
  up: (database) =>
    executeFor(database, {
      sqlite: ['create index source_items_uri on source_items (uri)'],
      postgres: ['create index source_items_uri on source_items using hash (uri)'],
    }),
};
