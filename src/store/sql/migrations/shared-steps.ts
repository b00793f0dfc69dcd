import type { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { type ColumnTypes, dialectOf } from '../sql-dialect.ts';
import { remoteSources } from './0019-remote-sources.ts';
import { failedItems } from './0020-failed-items.ts';
import { originalObjects } from './0021-original-objects.ts';
import { codesOnPostgres } from './0022-codes-on-postgres.ts';
import { filterChanges } from './0023-filter-changes.ts';
import { searchAhead } from './0024-search-ahead.ts';
import { sourceItemAddresses } from './0025-source-item-addresses.ts';
import { randomClaimTokens } from './0026-random-claim-tokens.ts';
import { failureRemedies } from './0027-failure-remedies.ts';
import { metadataValues } from './0028-metadata-values.ts';
import { documentOrders } from './0029-document-orders.ts';
import type { Step } from './run-steps.ts';

/** A step of the schema, for SQLite and PostgreSQL. */
export interface SharedStep {
  /** Runs in a transaction. `types` are the column types of the engine. */
  up(database: Kysely<Tables>, types: ColumnTypes): Promise<void>;
  /**
   * The number of the last step that a server must know to work with the schema after this step: the step's own number,
   * or a lower one if servers of earlier versions do not need to know what the step adds.
   */
  readonly worksFrom: number;
}

/** Applied after all others, in order of name. A released step is never changed; a new one is added. */
export const sharedSteps: Readonly<Record<string, SharedStep>> = {
  '0019-remote-sources': remoteSources,
  '0020-failed-items': failedItems,
  '0021-original-objects': originalObjects,
  '0022-codes-on-postgres': codesOnPostgres,
  '0023-filter-changes': filterChanges,
  '0024-search-ahead': searchAhead,
  '0025-source-item-addresses': sourceItemAddresses,
  '0026-random-claim-tokens': randomClaimTokens,
  '0027-failure-remedies': failureRemedies,
  '0028-metadata-values': metadataValues,
  '0029-document-orders': documentOrders,
};

/** The steps with the column types of the database that they are applied to. */
export const forEngine = (steps: Readonly<Record<string, SharedStep>>): Readonly<Record<string, Step>> =>
  Object.fromEntries(
    Object.entries(steps).map(([name, { up, worksFrom }]) => [
      name,
      { up: (database: Kysely<Tables>) => up(database, dialectOf(database).types), worksFrom },
    ]),
  );
