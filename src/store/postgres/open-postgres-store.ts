import { openRecordStore, type RecordStoreOptions, type SqlStore } from '../sql/open-store.ts';
import { openPostgres, type PostgresOptions } from './open-postgres.ts';

/** The store over a PostgreSQL database and a vector index. */
export async function openPostgresStore(options: PostgresOptions & RecordStoreOptions): Promise<SqlStore> {
  const settings = { ...options.settings, originals: options.objects?.place };
  return openRecordStore(await openPostgres({ ...options, settings }), options);
}
