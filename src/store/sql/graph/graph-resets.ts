import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { Progress } from '../../../shared/leased-queue.ts';
import type { Database } from '../database.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

export interface EmptyOptions {
  /** Whether extracted documents stay out of the graph until they are pulled. */
  readonly excludesDocuments: boolean;
  readonly signal?: AbortSignal;
}

// Communities first: deleting their entities would mark the communities built since as outdated.
const TABLES = [
  { table: 'graph_communities', bound: 'community_key' },
  { table: 'graph_relationships', bound: 'relationship_key' },
  { table: 'graph_entities', bound: 'entity_key' },
] as const;

const FIRST_BATCH = 100;
const MAX_BATCH = 5_000;
/** Target duration of one transaction, for which other writes wait. */
const BATCH_MS = 25;

/**
 * Empties collections' graphs. One transaction hides the whole content; the rows are then deleted in short
 * transactions, so that other writes can run in between.
 */
export interface GraphResets {
  /** Throws `cancelled` when the signal aborts; the rest is then deleted in the background. */
  empty(id: string, options: EmptyOptions): AsyncGenerator<Progress, void>;
  /** Deletes in the background the rows left by interrupted resets of this process or an earlier one. */
  wakeUp(): void;
  close(): Promise<void>;
}

export function createGraphResets(sqlite: Database, report?: (message: string, cause?: unknown) => void): GraphResets {
  const stopping = new AbortController();
  const { signal } = stopping;
  let work: Promise<void> = Promise.resolve();

  async function finish(): Promise<void> {
    if (signal.aborted) return;
    const waiting = await sqlite.reader.selectFrom('graph_resets').select('collection_id as id').execute();
    for (const { id } of waiting) for await (const _ of deleteHidden(sqlite, id, signal));
  }

  function wakeUp(): void {
    work = work.then(finish).catch((error: unknown) => {
      if (!signal.aborted)
        report?.('The rows of an emptied graph could not be deleted; the next start tries again.', error);
    });
  }

  return {
    async *empty(id, { excludesDocuments, signal: callerSignal }) {
      await sqlite.writer.transaction().execute((transaction) => hideGraph(transaction, id, excludesDocuments));
      let isDone = false;
      try {
        yield* deleteHidden(sqlite, id, callerSignal);
        isDone = true;
      } finally {
        if (!isDone) wakeUp();
      }
    },
    wakeUp,
    async close() {
      stopping.abort();
      await work;
    },
  };
}

async function hideGraph(database: Queries, id: string, excludesDocuments: boolean): Promise<void> {
  if (excludesDocuments) {
    await sql`
      insert into graph_exclusions (collection_id, document_key)
      select c.id, dc.document_key from collections c
      join document_collections dc on dc.collection_id = c.id
      join document_graphs g on g.document_key = dc.document_key and g.extracted_at is not null
      where c.id = ${id} on conflict do nothing`.execute(database);
  }
  await sql`
    insert into graph_resets (collection_id, entity_key, relationship_key, community_key, is_starting)
    select id, coalesce((select max(key) from graph_entities), 0),
      coalesce((select max(key) from graph_relationships), 0),
      coalesce((select max(key) from graph_communities), 0), 1
    from collections where id = ${id}
    on conflict (collection_id) do update set entity_key = excluded.entity_key,
      relationship_key = excluded.relationship_key, community_key = excluded.community_key, is_starting = 1`.execute(
    database,
  );
  await database.deleteFrom('graph_documents').where('collection_id', '=', id).execute();
  await database.updateTable('graph_resets').set({ is_starting: 0 }).where('collection_id', '=', id).execute();
  await database
    .updateTable('collections')
    .set({ graph_sync_status: 'pending', graph_cluster_status: 'pending' })
    .where('id', '=', id)
    .execute();
}

async function* deleteHidden(
  { reader, writer }: Database,
  id: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Progress, void> {
  const bounds = await reader.selectFrom('graph_resets').selectAll().where('collection_id', '=', id).executeTakeFirst();
  if (bounds === undefined) return;
  let total = 0;
  for (const { table, bound } of TABLES) {
    const { count } = await reader
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('collection_id', '=', id)
      .where('key', '<=', bounds[bound])
      .executeTakeFirstOrThrow();
    total += count;
  }
  let done = 0;
  for (const { table, bound } of TABLES) {
    let size = FIRST_BATCH;
    for (;;) {
      if (signal?.aborted) {
        throw new ServiceError(
          'cancelled',
          `The graph is empty; ${done} of ${total} rows are deleted, and the rest will be deleted in the background.`,
        );
      }
      const started = performance.now();
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where key in (
          select key from ${sql.table(table)} where collection_id = ${id} and key <= ${bounds[bound]} limit ${size}
        )`.execute(writer);
      const deleted = Number(numAffectedRows ?? 0);
      done += deleted;
      yield { done: Math.min(done, total), total };
      if (deleted < size) break;
      size = nextSize(size, performance.now() - started);
    }
  }
  await writer
    .deleteFrom('graph_resets')
    .where('collection_id', '=', id)
    // Only if the graph was not reset again meanwhile.
    .where('entity_key', '=', bounds.entity_key)
    .where('relationship_key', '=', bounds.relationship_key)
    .where('community_key', '=', bounds.community_key)
    .execute();
}

/** Grows at most twofold, because the first rows of a table can be cheap to delete. */
const nextSize = (size: number, milliseconds: number): number =>
  Math.max(1, Math.min(MAX_BATCH, size * 2, Math.round((size * BATCH_MS) / Math.max(1, milliseconds))));
