import { openRecordStore, type RecordStoreOptions, type SqlStore } from '../sql/open-store.ts';
import { openPostgres, type PostgresOptions } from './open-postgres.ts';

/** The store over a PostgreSQL database and a vector index. One process at a time. */
export async function openPostgresStore(options: PostgresOptions & RecordStoreOptions): Promise<SqlStore> {
  return openRecordStore(await openPostgres(options), options);
}
