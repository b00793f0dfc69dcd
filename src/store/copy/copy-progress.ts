import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import {
  OWN_SETTINGS,
  readCopyMark,
  readSourceToken,
  removeCopyMark,
  removeSourceToken,
  writeCopyMark,
  writeSourceToken,
} from '../sql/copied-store.ts';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/schema.ts';
import { dialectOf } from '../sql/sql-dialect.ts';
import { readCatalog, type Table } from './catalog.ts';
import type { Key } from './read-pages.ts';

/** How far a table, or a full-text index, has been copied. */
export interface Progress {
  /** Key of the last copied row; undefined before the first one. */
  readonly last: Key | undefined;
  readonly rows: number;
  readonly bytes: number;
  readonly isDone: boolean;
}

const TABLE = 'store_copy';
const NONE: Progress = { last: undefined, rows: 0, bytes: 0, isDone: false };

/** A database and its name, for messages. */
export interface Side {
  readonly name: string;
  readonly database: Database;
}

/**
 * Prepares the target, or recognises an interrupted copy to continue. Throws `conflict` if the target already has
 * records, or if the source has been used since the copy was interrupted.
 */
export async function beginCopy(source: Side, target: Side, tables: readonly Table[]): Promise<'new' | 'continued'> {
  const { writer } = target.database;
  const [mark, known] = [await readCopyMark(writer), await readSourceToken(source.database.writer)];
  if (mark !== undefined) {
    if (mark.token === known) return 'continued';
    const words =
      mark.source === source.name
        ? 'and a server has used that one since, so that it has other records now'
        : `not of ${source.name}`;
    throw new ServiceError(
      'conflict',
      `${target.name} is an incomplete copy of ${mark.source}, ${words}. Empty it, and begin again.`,
    );
  }
  await refuseRecords(target, tables);
  const token = known ?? randomUUID();
  if (known === undefined) {
    await source.database.writer.transaction().execute((transaction) => writeSourceToken(transaction, token));
  }
  await writer.transaction().execute(async (transaction) => {
    const { types } = dialectOf(transaction);
    await transaction.schema
      .createTable(TABLE)
      .addColumn('name', types.text, (column) => column.primaryKey())
      .addColumn('last_key', types.text)
      .addColumn('rows', types.long, (column) => column.notNull())
      .addColumn('bytes', types.long, (column) => column.notNull())
      .addColumn('is_done', types.integer, (column) => column.notNull())
      .execute();
    await transaction.deleteFrom('settings').where('name', 'not in', OWN_SETTINGS).execute();
    await writeCopyMark(transaction, { source: source.name, token });
  });
  return 'new';
}

/** Throws `conflict` if the database already has records; an incomplete copy is accepted. */
export async function refuseFilled(target: Side): Promise<void> {
  if ((await readCopyMark(target.database.writer)) !== undefined) return;
  await refuseRecords(target, await readCatalog(target.database.reader));
}

/** Gives an immutable source a fixed token, so that an interrupted copy can continue from another file of it. */
export async function markSource({ database }: Side, token: string): Promise<void> {
  await database.writer.transaction().execute(async (transaction) => {
    await removeSourceToken(transaction);
    await writeSourceToken(transaction, token);
  });
}

/** Rows that a server writes at its first start count as records too. */
async function refuseRecords({ name, database }: Side, tables: readonly Table[]): Promise<void> {
  const found: string[] = [];
  for (const table of tables.filter((each) => each.name !== 'settings')) {
    const { rows } = await sql`select 1 from ${sql.table(table.name)} limit 1`.execute(database.writer);
    if (rows.length > 0) found.push(table.name);
  }
  if (found.length === 0) return;
  throw new ServiceError(
    'conflict',
    `${name} is not empty: there are rows in ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}. ` +
      'Give an empty database, or a folder without records; nothing was changed.',
  );
}

export async function readProgress(target: Kysely<Tables>): Promise<(name: string) => Progress> {
  const { rows } = await sql<{ name: string; last_key: string | null; rows: number; bytes: number; is_done: number }>`
    select name, last_key, rows, bytes, is_done from ${sql.table(TABLE)}`.execute(target);
  const known = new Map(
    rows.map((row): [string, Progress] => [
      row.name,
      {
        last: row.last_key === null ? undefined : (JSON.parse(row.last_key) as Key),
        rows: row.rows,
        bytes: row.bytes,
        isDone: row.is_done === 1,
      },
    ]),
  );
  return (name) => known.get(name) ?? NONE;
}

/** Call in the transaction that writes the rows it records. */
export async function writeProgress(
  transaction: Kysely<Tables>,
  name: string,
  { last, rows, bytes, isDone }: Progress,
): Promise<void> {
  const key = last === undefined ? null : JSON.stringify(last);
  await sql`
    insert into ${sql.table(TABLE)} (name, last_key, rows, bytes, is_done)
    values (${name}, ${key}, ${rows}, ${bytes}, ${isDone ? 1 : 0})
    on conflict (name) do update set last_key = excluded.last_key, rows = excluded.rows, bytes = excluded.bytes,
      is_done = excluded.is_done`.execute(transaction);
}

/** Marks the copy as complete, so that servers can use it. */
export async function endCopy(source: Side, target: Side): Promise<void> {
  await target.database.writer.transaction().execute(async (transaction) => {
    await transaction.schema.dropTable(TABLE).execute();
    await removeCopyMark(transaction);
  });
  await source.database.writer.transaction().execute(removeSourceToken);
}
