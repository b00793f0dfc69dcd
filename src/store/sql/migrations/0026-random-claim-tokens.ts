import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Any whole number that a JavaScript number represents exactly. */
const RANDOM_TOKEN = `(random() * ${Number.MAX_SAFE_INTEGER})::bigint`;

/**
 * Random tokens for the claims of servers that share a PostgreSQL database. A sequence assigns a token twice after a
 * failover that lost transactions: a server whose claim was lost would take the claim of another one for its own.
 */
export const randomClaimTokens: SharedStep = {
  worksFrom: 25,
  up: (database) =>
    executeFor(database, {
      sqlite: [],
      // No server refers to the sequence but by the default of the column.
      postgres: [
        `alter table cluster_claims alter column token set default ${RANDOM_TOKEN}`,
        'drop sequence cluster_tokens',
      ],
    }),
};
