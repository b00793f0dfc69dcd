import type { SourceItem } from '../followed-sources.ts';
import { dialectOf } from './sql-dialect.ts';
import type { Queries } from './vector-spaces/space-rows.ts';

/**
 * Whether the source is still followed, for a transaction that writes rows of it. On PostgreSQL, where another server
 * may remove it concurrently, its row is locked so that the removal waits.
 */
export async function isFollowed(database: Queries, id: string): Promise<boolean> {
  const own = database.selectFrom('followed_sources').select('id').where('id', '=', id);
  const isShared = dialectOf(database).name === 'postgres';
  return (await (isShared ? own.forKeyShare() : own).executeTakeFirst()) !== undefined;
}

export interface SourceItemsToSave {
  readonly id: string;
  readonly pass: string;
  readonly items: readonly SourceItem[];
}

/** Saves the state of these items, unless the source was removed. */
export async function saveSourceItems(database: Queries, { id, pass, items }: SourceItemsToSave): Promise<void> {
  if (!(await isFollowed(database, id))) return;
  await database
    .insertInto('source_items')
    .values(
      items.map(({ key, version, uri, duplicateOf }) => ({
        source_id: id,
        item_key: key,
        version,
        uri,
        pass,
        duplicate_of: duplicateOf,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['source_id', 'item_key']).doUpdateSet(({ ref }) => ({
        version: ref('excluded.version'),
        uri: ref('excluded.uri'),
        pass: ref('excluded.pass'),
        duplicate_of: ref('excluded.duplicate_of'),
      })),
    )
    .execute();
}
