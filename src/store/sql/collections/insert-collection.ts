import type { NewCollection } from '../../records.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Creates a collection with its owner as its member; an existing one stays unchanged. */
export async function insertCollection(
  database: Queries,
  { id, ownerId, name, description = null }: NewCollection,
): Promise<void> {
  const now = new Date().toISOString();
  const collectionId = id.toLowerCase();
  const { numInsertedOrUpdatedRows: made } = await database
    .insertInto('collections')
    .values({ id: collectionId, owner_id: ownerId, name, description, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (made === 1n) await addMember(database, collectionId, ownerId);
}

/** True when the user was not yet a member. */
export async function addMember(database: Queries, id: string, userId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows: added } = await database
    .insertInto('collection_members')
    .values({ collection_id: id.toLowerCase(), user_id: userId, created_at: new Date().toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return added === 1n;
}
