import { type Kysely, sql } from 'kysely';
import { indexTables } from '../sql/full-text/full-text-tables.ts';
import type { Tables } from '../sql/schema.ts';
import { dialectOf } from '../sql/sql-dialect.ts';

export type ColumnKind = 'integer' | 'real' | 'text' | 'json' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table that holds records. */
export interface Table {
  readonly name: string;
  /** Ordered by name. */
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  /** Names of the tables that its foreign keys refer to; they must be filled first. */
  readonly references: readonly string[];
  /** Whether the database generates its keys from a counter. */
  readonly isCounted: boolean;
}

type Name = { readonly name: string };

const OTHER = [
  'kysely_',
  'cluster_',
  'filter_changes',
  'full_text_',
  'metadata_fields',
  'metadata_values',
  'store_copy',
  'vector_index_',
  'vector_codes',
  'sqlite_',
  ...indexTables,
];
/** Whether a table holds records rather than derived data or shared server state. */
export const isRecord = ({ name }: Name): boolean => !OTHER.some((prefix) => name.startsWith(prefix));

/** The tables that hold records, without the full-text indexes and the state shared by running servers. */
export const readCatalog = (database: Kysely<Tables>): Promise<readonly Table[]> =>
  dialectOf(database).name === 'sqlite' ? catalogOfSqlite(database) : catalogOfPostgres(database);

async function catalogOfSqlite(database: Kysely<Tables>): Promise<readonly Table[]> {
  const names = await sql<Name>`
    select name from sqlite_master where type = 'table' and sql not like 'create virtual%'`.execute(database);
  const counted = await sql<Name>`
    select name from sqlite_master where type = 'table' and sql like '%autoincrement%'`.execute(database);
  const isCounted = new Set(counted.rows.map(({ name }) => name));
  const tables: Table[] = [];
  for (const { name } of names.rows.filter(isRecord)) {
    const columns = await sql<{ name: string; type: string; pk: number }>`
      select name, type, pk from pragma_table_info(${name})`.execute(database);
    const references = await sql<Name>`
      select distinct "table" as name from pragma_foreign_key_list(${name})`.execute(database);
    tables.push({
      name,
      columns: columns.rows.map((column) => ({ name: column.name, kind: KINDS[column.type.toLowerCase()] ?? 'text' })),
      primaryKey: columns.rows
        .filter(({ pk }) => pk > 0)
        .sort((one, two) => one.pk - two.pk)
        .map((column) => column.name),
      references: references.rows.map((each) => each.name),
      isCounted: isCounted.has(name),
    });
  }
  return tables;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
  blob: 'bytes',
  bytea: 'bytes',
  jsonb: 'json',
};

async function catalogOfPostgres(database: Kysely<Tables>): Promise<readonly Table[]> {
  const columns = await sql<Name & { column: string; type: string; counted: number }>`
    select c.table_name as name, c.column_name as column, c.data_type as type, c.is_identity = 'YES' as counted
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = current_schema() and t.table_type = 'BASE TABLE'`.execute(database);
  const keys = await sql<Name & { column: string }>`
    select c.relname as name, a.attname as column
    from pg_index i join pg_class c on c.oid = i.indrelid
    cross join unnest(i.indkey::int[]) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where i.indisprimary and c.relnamespace = current_schema()::regnamespace
    order by k.place`.execute(database);
  const references = await sql<Name & { other: string }>`
    select c.relname as name, o.relname as other
    from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class o on o.oid = f.confrelid
    where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(database);
  return [...Map.groupBy(columns.rows.filter(isRecord), ({ name }) => name)].map(([name, own]) => ({
    name,
    columns: own.map(({ column, type }) => ({ name: column, kind: KINDS[type] ?? 'text' })),
    primaryKey: keys.rows.filter((key) => key.name === name).map(({ column }) => column),
    references: references.rows.filter((each) => each.name === name).map(({ other }) => other),
    isCounted: own.some(({ counted }) => counted === 1),
  }));
}

/** The tables and columns that both databases have; every table comes after those it refers to. */
export function commonTables(one: readonly Table[], other: readonly Table[]): readonly Table[] {
  const common = one.flatMap((table) => {
    const otherTable = other.find(({ name }) => name === table.name);
    if (otherTable === undefined || table.primaryKey.length === 0) return [];
    const columns = table.columns.flatMap((column) => {
      const same = otherTable.columns.find(({ name }) => name === column.name);
      if (same === undefined) return [];
      return [{ name: column.name, kind: same.kind === 'json' ? same.kind : column.kind }];
    });
    columns.sort((first, second) => (first.name < second.name ? -1 : 1));
    return [{ ...table, columns, isCounted: table.isCounted || otherTable.isCounted }];
  });
  return inOrder(common.sort((first, second) => (first.name < second.name ? -1 : 1)));
}

function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  const visit = (table: Table) => {
    if (ordered.includes(table)) return;
    for (const name of table.references) {
      const referred = tables.find((each) => each.name === name);
      if (referred !== undefined && referred !== table) visit(referred);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}
