import { type Kysely, sql } from 'kysely';
import { indexSources, stampFullText } from '../sql/full-text/full-text-rows.ts';
import { indexTables } from '../sql/full-text/full-text-tables.ts';
import type { Tables } from '../sql/schema.ts';
import { dialectOf } from '../sql/sql-dialect.ts';
import { commonTables, readCatalog, type Table } from './catalog.ts';
import { compareStores } from './compare-stores.ts';
import { type CopyEvent, progressOf, throwIfEnded, type Work } from './copy-events.ts';
import { beginCopy, endCopy, type Progress, readProgress, type Side, writeProgress } from './copy-progress.ts';
import { measure, readPages } from './read-pages.ts';
import { readCounter, writeCounter, writeRows } from './write-rows.ts';

/** Number of rows whose full-text entries are written in one transaction. */
const INDEX_BATCH_SIZE = 2_000;

/**
 * Copies all records, with their keys, from one database to an empty one of either engine, then compares both. After an
 * interruption, it resumes where it stopped. Nothing else may use either database meanwhile.
 */
export async function* copyStore(source: Side, target: Side, signal: AbortSignal): AsyncGenerator<CopyEvent> {
  const tables = await tablesOf(source, target);
  const how = await beginCopy(source, target, tables);
  const sizes = new Map<string, { rows: number; bytes: number }>();
  for (const table of tables) sizes.set(table.name, await measure(source.database.reader, table));
  const total = sum([...sizes.values()]);
  yield { type: 'began', how, tables: tables.length, ...total };
  yield* copyTables(source, target, { tables, total, signal });
  yield* fillFullText(target, signal);
  const compared = yield* compareStores(source, target, { tables, total, signal });
  if (compared.every(({ isEqual }) => isEqual)) await endCopy(source, target);
  yield { type: 'compared', tables: compared };
}

/** Compares two databases of either engine by the number and hash of the rows of each table. */
export async function* verifyCopy(source: Side, target: Side, signal: AbortSignal): AsyncGenerator<CopyEvent> {
  const tables = await tablesOf(source, target);
  const sizes: { rows: number; bytes: number }[] = [];
  for (const table of tables) sizes.push(await measure(source.database.reader, table));
  yield { type: 'compared', tables: yield* compareStores(source, target, { tables, total: sum(sizes), signal }) };
}

const tablesOf = async (source: Side, target: Side): Promise<readonly Table[]> =>
  commonTables(await readCatalog(source.database.reader), await readCatalog(target.database.reader));

const sum = (sizes: readonly { rows: number; bytes: number }[]) => ({
  rows: sizes.reduce((all, { rows }) => all + rows, 0),
  bytes: sizes.reduce((all, { bytes }) => all + bytes, 0),
});

async function* copyTables(
  source: Side,
  { database: { writer } }: Side,
  { tables, total, signal }: Work,
): AsyncGenerator<CopyEvent> {
  const known = await readProgress(writer);
  const done = sum(tables.map(({ name }) => known(name)));
  for (const table of tables) {
    let progress: Progress = known(table.name);
    if (progress.isDone) continue;
    for await (const page of readPages(source.database.reader, table, progress.last)) {
      throwIfEnded(signal);
      progress = {
        ...progress,
        last: page.last,
        rows: progress.rows + page.rows.length,
        bytes: progress.bytes + page.bytes,
      };
      const copied = progress;
      await writer.transaction().execute(async (transaction) => {
        await writeRows(transaction, table, page.rows);
        await writeProgress(transaction, table.name, copied);
      });
      done.rows += page.rows.length;
      done.bytes += page.bytes;
      yield { ...progressOf('copy', table.name, done, total) };
    }
    const counter = table.isCounted ? await readCounter(source.database.reader, table) : 0;
    await writer.transaction().execute(async (transaction) => {
      await writeCounter(transaction, table, counter);
      await writeProgress(transaction, table.name, { ...progress, isDone: true });
    });
  }
}

/** Builds the full-text indexes, whose form differs between engines, from the copied texts. */
async function* fillFullText({ database: { writer } }: Side, signal: AbortSignal): AsyncGenerator<CopyEvent> {
  const known = await readProgress(writer);
  const total = { rows: 0, bytes: 0 };
  for (const index of indexTables) total.rows += await countRows(writer, indexSources[index].table);
  const done = sum(indexTables.map((index) => known(index)));
  for (const index of indexTables) {
    const { table, of } = indexSources[index];
    let progress = known(index);
    while (!progress.isDone) {
      throwIfEnded(signal);
      const keys = await keysAfter(writer, table, Number(progress.last?.[0] ?? 0));
      const last = keys.at(-1);
      const after: Progress = {
        ...progress,
        last: last === undefined ? progress.last : [last],
        rows: progress.rows + keys.length,
        isDone: keys.length === 0,
      };
      await writer.transaction().execute(async (transaction) => {
        const { fullText, numbers } = dialectOf(transaction);
        if (keys.length > 0) await fullText.add(transaction, index, of(numbers(keys), transaction));
        await writeProgress(transaction, index, after);
      });
      progress = after;
      done.rows += keys.length;
      if (keys.length > 0) yield progressOf('full_text', table, done, total);
    }
  }
  await writer.transaction().execute(stampFullText);
}

async function countRows(database: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(database);
  return rows[0]?.count ?? 0;
}

async function keysAfter(database: Kysely<Tables>, table: string, last: number): Promise<readonly number[]> {
  const { rows } = await sql<{ key: number }>`
    select key from ${sql.table(table)} where key > ${last} order by key limit ${sql.lit(INDEX_BATCH_SIZE)}`.execute(
    database,
  );
  return rows.map(({ key }) => key);
}
