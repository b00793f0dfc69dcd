import type { Kysely, Transaction } from 'kysely';
import { isFollowed } from './save-source-items.ts';
import type { Tables } from './schema.ts';

/** Writes rows that belong to a source, unless the source was removed. */
export const writeOfSource = (
  writer: Kysely<Tables>,
  id: string,
  write: (transaction: Transaction<Tables>) => Promise<unknown>,
): Promise<void> =>
  writer.transaction().execute(async (transaction) => {
    if (await isFollowed(transaction, id)) await write(transaction);
  });
