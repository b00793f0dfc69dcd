import type { AccessScope } from '../../access-scope.ts';
import type { StoredScopes } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { readScopes } from './chunk-scopes.ts';
import type { OpenCollections } from './open-collections.ts';

const BATCH = 1_000;

export interface UpsertFromRecords {
  readonly sqlite: Database;
  readonly collections: OpenCollections;
  readonly space: SpaceRow;
  readonly keys: readonly number[];
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of keys done. */
  readonly onProgress?: (done: number) => void;
}

/** Writes the stored vectors of these chunks to the index; chunks deleted meanwhile are skipped. */
export async function upsertFromRecords(parts: UpsertFromRecords): Promise<void> {
  const { sqlite, collections, space, keys, signal, onProgress } = parts;
  if (keys.length === 0) return;
  const collection = await collections.open(space);
  let done = 0;
  for (const batch of inBatches(keys, BATCH)) {
    signal?.throwIfAborted();
    const rows = await sqlite.reader
      .selectFrom('chunk_vectors')
      .select(['chunk_key', 'vector'])
      .where('space_key', '=', space.key)
      .where('chunk_key', 'in', batch)
      .execute();
    const scopes = collection.scopes && (await readScopes(sqlite.reader, batch));
    await collection.upsert(
      rows.map(({ chunk_key: key, vector }) => {
        const scope = scopes?.get(key);
        return { key, vector: fromVectorBytes(vector), ...(scope && { scope }) };
      }),
    );
    if (collection.scopes && scopes)
      await rewriteChangedScopes({ sqlite, scopes: collection.scopes, written: scopes, signal });
    done += batch.length;
    onProgress?.(done);
  }
}

/** Writes the current access scopes of these chunks to the index, if it stores scopes. */
export async function updateScopesFromRecords({
  sqlite,
  collections,
  space,
  keys,
  signal,
}: UpsertFromRecords): Promise<void> {
  const { scopes } = await collections.open(space);
  if (scopes === undefined) return;
  for (const batch of inBatches(keys, BATCH)) {
    signal?.throwIfAborted();
    const found = await readScopes(sqlite.reader, batch);
    await scopes.set(toScopeRecords(found));
    await rewriteChangedScopes({ sqlite, scopes, written: found, signal });
  }
}

interface Written {
  readonly sqlite: Database;
  readonly scopes: StoredScopes;
  readonly written: ReadonlyMap<number, AccessScope>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes again the scopes that have changed since they were read: of two concurrent writers, the one that read the
 * older scope may write last, and then has to correct it.
 */
async function rewriteChangedScopes({ sqlite, scopes, written, signal }: Written): Promise<void> {
  for (let last = written; last.size > 0; ) {
    signal?.throwIfAborted();
    const present = await readScopes(sqlite.reader, [...last.keys()]);
    const before = last;
    last = new Map([...present].filter(([key, scope]) => !isSameScope(scope, before.get(key))));
    if (last.size > 0) await scopes.set(toScopeRecords(last));
  }
}

const toScopeRecords = (scopes: ReadonlyMap<number, AccessScope>) =>
  [...scopes].map(([key, scope]) => ({ key, scope }));

const isSameScope = (one: AccessScope, other: AccessScope | undefined): boolean =>
  one.owner === other?.owner && String(one.collections.toSorted()) === String(other.collections.toSorted());
