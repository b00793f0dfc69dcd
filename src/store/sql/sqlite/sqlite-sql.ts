import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, type RawBuilder, SqliteQueryCompiler, sql } from 'kysely';
import { sqliteFilters } from '../filters/sqlite-filters.ts';
import type { FullTextTables } from '../full-text/full-text-tables.ts';
import type { ColumnTypes, SqlDialect } from '../sql-dialect.ts';
import { noteChange } from './full-text-changes.ts';

const listed = (values: readonly number[] | readonly string[]): RawBuilder<unknown> =>
  sql`(select value from json_each(${JSON.stringify(values)}))`;

/** FTS5 tables, filled through the SQL function `index_terms` of the database threads. */
const fullText: FullTextTables = {
  async add(database, table, rows) {
    if (table === 'graph_name_terms' || table === 'graph_community_terms') {
      await sql`
        insert into ${sql.table(table)} (rowid, terms)
        select r.key, index_terms('', '[]', r.text) ->> 'body' from (${rows}) as r`.execute(database);
      return;
    }
    // Materialised, so that a text is analysed once rather than once per column.
    await sql`
      insert into ${sql.table(table)} (rowid, title, body)
      with analysed as materialized (
        select r.key, index_terms(r.title, r.heading_path, r.text) as terms from (${rows}) as r
      )
      select key, terms ->> 'title', terms ->> 'body' from analysed`.execute(database);
    await noteChange(database, table, rows);
  },

  async remove(database, table, keys) {
    const present = sql`select id as key from ${sql.table(`${table}_docsize`)} where id in (${keys})`;
    await noteChange(database, table, present);
    const removed = await sql`delete from ${sql.table(table)} where rowid in (${keys})`.execute(database);
    return Number(removed.numAffectedRows ?? 0);
  },

  async clear(database, table) {
    await noteChange(database, table, sql`select id as key from ${sql.table(`${table}_docsize`)}`);
    await sql`insert into ${sql.table(table)} (${sql.ref(table)}) values ('delete-all')`.execute(database);
  },

  async hasAny(database, table, keys) {
    const { rows } = await sql`
      select 1 from ${sql.table(`${table}_docsize`)} where id in ${listed(keys)} limit 1`.execute(database);
    return rows.length > 0;
  },
};

const types: ColumnTypes = {
  key: 'integer',
  asKey: (column) => column.primaryKey().autoIncrement(),
  integer: 'integer',
  long: 'integer',
  real: 'real',
  text: 'text',
  json: 'text',
  bytes: 'blob',
};

export const sqliteSql: SqlDialect = {
  name: 'sqlite',
  types,
  filters: sqliteFilters,
  fullText,
  compile(condition) {
    const { sql: text, parameters } = new SqliteQueryCompiler().compileQuery(
      sql`${condition}`.toOperationNode() as Parameters<SqliteQueryCompiler['compileQuery']>[0],
      createQueryId(),
    );
    return { sql: text, parameters: parameters as readonly SQLInputValue[] };
  },
  prepared: sql``,
  // An FTS5 expression.
  phrase: (sequences) => sequences.map((terms) => `"${terms.join(' ').replaceAll('"', '""')}"`).join(' OR '),
  numbers: listed,
  texts: listed,
  rows(types, list) {
    const columns = Object.keys(types) as (keyof typeof types)[];
    const values = columns.map((column, place) => sql`value ->> ${sql.lit(place)} as ${sql.ref(column)}`);
    const rows = list.map((row) => columns.map((column) => row[column]));
    return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)}))`;
  },
  randomId: sql<string>`lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
      || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
  joinInOrder: sql`cross join`,
  usingIndex: (name) => sql`indexed by ${sql.id(name)}`,
  listOf: (column) => sql<string>`json_group_array(${column})`,
  isFalse: (json, field) => sql<boolean>`coalesce(json_extract(${json}, ${sql.lit(`$.${field}`)}), 1) = 0`,
  lines: (json) => sql`(select group_concat(value, char(10)) from json_each(${json}))`,
};
