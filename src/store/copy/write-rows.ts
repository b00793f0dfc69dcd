import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sql/schema.ts';
import { dialectOf } from '../sql/sql-dialect.ts';
import { inBatches } from '../sql/sqlite/key-ranges.ts';
import { storableJson } from './canonical.ts';
import { isRecord, type Table } from './catalog.ts';
import type { Row } from './read-pages.ts';

/** Below the limits of SQLite and PostgreSQL for one statement. */
const MAX_PARAMETERS = 30_000;

/** Inserts rows unchanged: triggers that write records do not run. Must be called in a transaction. */
export async function writeRows(transaction: Kysely<Tables>, table: Table, rows: readonly Row[]): Promise<void> {
  const restore = await withoutTriggers(transaction, table.name);
  const columns = sql.join(table.columns.map(({ name }) => sql.ref(name)));
  for (const batch of inBatches(rows, Math.floor(MAX_PARAMETERS / table.columns.length))) {
    const values = batch.map((row) => {
      const cells = table.columns.map(({ name, kind }) => {
        const value = row[name] ?? null;
        return sql`${kind === 'json' && typeof value === 'string' ? storableJson(value) : value}`;
      });
      return sql`(${sql.join(cells)})`;
    });
    await sql`insert into ${sql.table(table.name)} (${columns}) values ${sql.join(values)}`.execute(transaction);
  }
  await restore();
}

/** Disables the triggers until the returned function is called or the transaction is rolled back. */
async function withoutTriggers(transaction: Kysely<Tables>, table: string): Promise<() => Promise<void>> {
  const name = sql.table(table);
  if (dialectOf(transaction).name === 'postgres') {
    await sql`alter table ${name} disable trigger user`.execute(transaction);
    return async () => void (await sql`alter table ${name} enable trigger user`.execute(transaction));
  }
  const { rows: triggers } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master
    where type = 'trigger' and tbl_name = ${table} and sql like '% insert on %'`.execute(transaction);
  const removed = triggers.filter(makesRecords);
  for (const trigger of removed) await sql`drop trigger ${sql.id(trigger.name)}`.execute(transaction);
  return async () => {
    for (const trigger of removed) await sql.raw(trigger.sql).execute(transaction);
  };
}

/** The remaining triggers fill derived tables, which are not copied. */
const makesRecords = (trigger: { readonly sql: string }): boolean =>
  [...trigger.sql.matchAll(/\binsert into (\w+)/gi)].some(([, name = '']) => isRecord({ name }));

/** The last key that a table has assigned. It is never reused, even if its row has been deleted. */
export async function readCounter(database: Kysely<Tables>, { name }: Table): Promise<number> {
  const highest = sql<number>`(select coalesce(max(key), 0) from ${sql.table(name)})`;
  const { rows } =
    dialectOf(database).name === 'sqlite'
      ? await sql<{ last: number }>`
          select max(${highest}, coalesce((select seq from sqlite_sequence where name = ${name}), 0)) as last`.execute(
          database,
        )
      : await sql<{ last: number }>`
          select greatest(${highest}, coalesce(pg_sequence_last_value(pg_get_serial_sequence(${name}, 'key')::regclass), 0)) as last`.execute(
          database,
        );
  return rows[0]?.last ?? 0;
}

export async function writeCounter(transaction: Kysely<Tables>, { name }: Table, last: number): Promise<void> {
  if (last === 0) return;
  if (dialectOf(transaction).name === 'postgres') {
    await sql`select setval(pg_get_serial_sequence(${name}, 'key'), ${last}::bigint)`.execute(transaction);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${name}`.execute(transaction);
  await sql`insert into sqlite_sequence (name, seq) values (${name}, ${last})`.execute(transaction);
}
