import { type Kysely, type RawBuilder, sql } from 'kysely';
import { OWN_SETTINGS } from '../sql/copied-store.ts';
import type { Tables } from '../sql/schema.ts';
import { dialectOf } from '../sql/sql-dialect.ts';
import type { ColumnKind, Table } from './catalog.ts';

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;
/** The primary key of a row. */
export type Key = readonly (string | number)[];

/** Rows of a table in the order of their primary key. */
export interface Page {
  readonly rows: readonly Row[];
  readonly bytes: number;
  /** The key of the last row. */
  readonly last: Key;
}

/** Limits of a page: bytes, which a single larger row may exceed, and rows. */
const PAGE_BYTES = 4_000_000;
const PAGE_ROWS = 1_000;
/** Bytes counted for each column. */
const NUMBER_BYTES = 8;

const sizeOf = (name: string, kind: ColumnKind, isSqlite: boolean): RawBuilder<unknown> | undefined => {
  if (kind === 'integer' || kind === 'real') return undefined;
  const column = kind === 'json' && !isSqlite ? sql`${sql.ref(name)}::text` : sql.ref(name);
  return sql`coalesce(octet_length(${column}), 0)`;
};

/** The approximate size of a row, from the lengths of its texts and blobs, which are not transferred for this. */
function rowSize(database: Kysely<Tables>, { columns }: Table): RawBuilder<unknown> {
  const isSqlite = dialectOf(database).name === 'sqlite';
  const sizes = columns.flatMap(({ name, kind }) => sizeOf(name, kind, isSqlite) ?? []);
  return sql.join([sql.lit(NUMBER_BYTES * columns.length), ...sizes], sql` + `);
}

const tuple = (parts: readonly RawBuilder<unknown>[]) => sql`(${sql.join(parts)})`;

/** Excludes settings that belong to one particular database. */
const ofRecords = ({ name }: Table): RawBuilder<unknown> =>
  name === 'settings' ? sql`name not in ${tuple(OWN_SETTINGS.map((each) => sql.lit(each)))}` : sql`1 = 1`;

/** Number and approximate size in bytes of a table's rows. */
export async function measure(database: Kysely<Tables>, table: Table): Promise<{ rows: number; bytes: number }> {
  const { rows } = await sql<{ rows: number; bytes: number | null }>`
    select count(*) as rows, sum(${rowSize(database, table)}) as bytes
    from ${sql.table(table.name)} where ${ofRecords(table)}`.execute(database);
  return { rows: rows[0]?.rows ?? 0, bytes: rows[0]?.bytes ?? 0 };
}

/** The rows after a key, in pages that fit into memory. */
export async function* readPages(database: Kysely<Tables>, table: Table, after?: Key): AsyncGenerator<Page> {
  const { primaryKey, columns } = table;
  const from = sql.table(table.name);
  const key = tuple(primaryKey.map((name) => sql.ref(name)));
  const keys = sql.join(primaryKey.map((name) => sql.ref(name)));
  const values = (of: Key) => tuple(of.map((value) => sql`${value}`));
  for (let last = after; ; ) {
    const later = last === undefined ? ofRecords(table) : sql`${key} > ${values(last)} and ${ofRecords(table)}`;
    const { rows: sizes } = await sql<Row & { size_of_row: number }>`
      select ${keys}, ${rowSize(database, table)} as size_of_row
      from ${from} where ${later} order by ${keys} limit ${sql.lit(PAGE_ROWS)}`.execute(database);
    let bytes = 0;
    let count = 0;
    for (const { size_of_row } of sizes) {
      if (count > 0 && bytes + size_of_row > PAGE_BYTES) break;
      bytes += size_of_row;
      count++;
    }
    const end = sizes[count - 1];
    if (end === undefined) return;
    last = primaryKey.map((name) => end[name] as string | number);
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map(({ name }) => sql.ref(name)))} from ${from}
      where ${later} and ${key} <= ${values(last)} order by ${keys}`.execute(database);
    yield { rows, bytes, last };
  }
}
