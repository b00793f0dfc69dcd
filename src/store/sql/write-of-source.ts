import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';
import { dialectOf } from './sql-dialect.ts';

/**
 * Writes rows that belong to a source, unless the source was removed. On PostgreSQL, where another server may remove
 * it concurrently, its row is locked so that the removal waits.
 */
export const writeOfSource = (
  writer: Kysely<Tables>,
  id: string,
  write: (transaction: Transaction<Tables>) => Promise<unknown>,
): Promise<void> =>
  writer.transaction().execute(async (transaction) => {
    const own = transaction.selectFrom('followed_sources').select('id').where('id', '=', id);
    const isShared = dialectOf(transaction).name === 'postgres';
    if ((await (isShared ? own.forKeyShare() : own).executeTakeFirst()) !== undefined) await write(transaction);
  });
