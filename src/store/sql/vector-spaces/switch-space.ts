import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { addPendingDrop } from '../index-sync/outbox.ts';
import type { Queries, SpaceRow } from './space-rows.ts';

/**
 * Makes a filled space the current one and the one before it `previous`, and drops the old `previous`, in one
 * transaction. False, without any change, when a visible chunk lacks its vector because it was added since; filling
 * then continues.
 */
export function switchSpace({ writer }: Database, target: SpaceRow): Promise<boolean> {
  return writer.transaction().execute(async (transaction) => {
    if (await hasUnembeddedChunk(transaction, target.key)) return false;
    const spaces = await transaction.selectFrom('vector_spaces').selectAll().execute();
    // Already switched: keep the previous space.
    if (spaces.some((space) => space.key === target.key && space.state === 'current')) return true;
    const others = spaces.filter((space) => space.key !== target.key);
    for (const space of others) {
      if (space.state !== 'previous') continue;
      await transaction.deleteFrom('vector_spaces').where('key', '=', space.key).execute();
      await addPendingDrop(transaction, space.collection);
    }
    const current = others.find((space) => space.state === 'current');
    if (current !== undefined) await setState(transaction, current.key, 'previous');
    await setState(transaction, target.key, 'current');
    return true;
  });
}

async function hasUnembeddedChunk(database: Queries, spaceKey: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from chunks c
    join documents d on d.key = c.document_key and d.generation = c.generation
    where not exists (select 1 from chunk_vectors v where v.space_key = ${spaceKey} and v.chunk_key = c.key)
    limit 1`.execute(database);
  return rows.length > 0;
}

async function setState(database: Queries, key: number, state: SpaceRow['state']): Promise<void> {
  await database.updateTable('vector_spaces').set({ state }).where('key', '=', key).execute();
}
