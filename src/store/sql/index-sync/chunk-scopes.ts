import type { AccessScope } from '../../access-scope.ts';
import type { VectorIndex } from '../../vector-index.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import { allSpaces, type Queries } from '../vector-spaces/space-rows.ts';
import { addPending } from './outbox-entries.ts';

const NAME = 'index_keeps_places';
const BATCH = 1_000;

/** Records that the index stores access scopes: from now on, changes of documents' collections are written to it. */
export async function recordScopeStorage(database: Queries, index: VectorIndex): Promise<void> {
  if (index.storesScopes !== true) return;
  await database
    .insertInto('settings')
    .values({ name: NAME, value: 'true' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds the new access scopes of these documents' chunks to the outbox, if the index stores them. */
export async function addPendingScopes(database: Queries, documentKeys: readonly number[]): Promise<void> {
  if (documentKeys.length === 0) return;
  const kept = await database.selectFrom('settings').select('name').where('name', '=', NAME).executeTakeFirst();
  if (kept === undefined) return;
  const spaces = await allSpaces(database);
  for (const batch of inBatches(documentKeys, BATCH)) {
    const rows = await database.selectFrom('chunks').select('key').where('document_key', 'in', batch).execute();
    for (const space of spaces) {
      const keys = rows.map(({ key }) => key);
      await addPending(database, 'place', space.key, keys);
    }
  }
}

/** The current access scopes of these chunks; deleted chunks are left out. */
export async function readScopes(database: Queries, keys: readonly number[]): Promise<Map<number, AccessScope>> {
  const scopes = new Map<number, AccessScope>();
  if (keys.length === 0) return scopes;
  const chunks = await database
    .selectFrom('chunks as c')
    .innerJoin('documents as d', 'd.key', 'c.document_key')
    .select(['c.key', 'c.document_key', 'd.owner_id'])
    .where('c.key', 'in', keys)
    .execute();
  const documents = [...new Set(chunks.map((chunk) => chunk.document_key))];
  if (documents.length === 0) return scopes;
  const memberships = await database
    .selectFrom('document_collections')
    .select(['document_key', 'collection_id'])
    .where('document_key', 'in', documents)
    .execute();
  const collections = Map.groupBy(memberships, (row) => row.document_key);
  for (const { key, document_key, owner_id } of chunks) {
    const ids = (collections.get(document_key) ?? []).map(({ collection_id }) => collection_id);
    scopes.set(key, { owner: owner_id, collections: ids });
  }
  return scopes;
}
