import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Which sources have an item at an address. PostgreSQL's usual indexes refuse long addresses. */
export const sourceItemAddresses: SharedStep = {
  worksFrom: 24,
  up: (database) =>
    executeFor(database, {
      sqlite: ['create index source_items_uri on source_items (uri)'],
      postgres: ['create index source_items_uri on source_items using hash (uri)'],
    }),
};
