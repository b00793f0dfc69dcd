import type { Kysely, Selectable, Transaction } from 'kysely';
import type { VectorSpaceName } from '../../vector-index.ts';
import type { Tables } from '../schema.ts';
import type { VectorSpaceTable } from './vector-tables.ts';

/** The database, or a transaction on it. */
export type Queries = Kysely<Tables> | Transaction<Tables>;

export type SpaceRow = Selectable<VectorSpaceTable>;

export const currentSpace = (database: Queries): Promise<SpaceRow | undefined> =>
  database.selectFrom('vector_spaces').selectAll().where('state', '=', 'current').executeTakeFirst();

export const allSpaces = (database: Queries): Promise<SpaceRow[]> =>
  database.selectFrom('vector_spaces').selectAll().orderBy('key').execute();

/** Name of a space for users. */
export const describeSpace = ({ embedder, version, dimensions }: VectorSpaceName): string =>
  `${embedder} (version ${version}, ${dimensions} dimensions)`;
