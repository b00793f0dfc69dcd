import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import { indexTables } from '../../../src/store/sql/full-text/full-text-tables.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Per table, its columns as `name type [not null] [default]`, and the indexes as `columns [unique]`. */
interface Schema {
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly indexes: readonly string[];
  readonly references: readonly string[];
  readonly views: readonly string[];
  readonly triggers: readonly string[];
}

/** Stands for an expression in an index, which both databases write differently. */
const EXPRESSION = '(expression)';

const isIndexTable = (name: string) => indexTables.some((table) => name.startsWith(table));
const isOwn = (name: string) =>
  !isIndexTable(name) &&
  !/^(?:kysely|cluster|filter_changes|full_text|metadata_fields|metadata_values|vector_codes_blocks?)(?:_|$)/.test(
    name,
  );

describePostgres('the schema, compared with that of SQLite,', () => {
  it('have the same tables, columns, keys, indexes, views and triggers', async () => {
    const [ofSqlite, ofPostgres] = [await readSqlite(), await readPostgres()];
    expect(Object.keys(ofPostgres.columns).length).toBeGreaterThan(50);
    expect(ofPostgres.columns).toEqual(ofSqlite.columns);
    expect(ofPostgres.references).toEqual(ofSqlite.references);
    expect(ofPostgres.indexes).toEqual(ofSqlite.indexes);
    expect(ofPostgres.views).toEqual(ofSqlite.views);
    // On PostgreSQL, servers add the codes themselves.
    expect(ofPostgres.triggers).toEqual(ofSqlite.triggers.filter((name) => name !== 'vector_codes_added'));
  });
});

async function readSqlite(): Promise<Schema> {
  const database = new DatabaseSync(await migratedDatabase(join(await temporaryFolder(), 'citewell.db')));
  onTestFinished(() => database.close());
  const all = <Row>(query: string) => database.prepare(query).all() as Row[];
  const named = (type: string) =>
    all<{ name: string }>(`select name from sqlite_master where type = '${type}' order by name`)
      .map(({ name }) => name)
      .filter((name) => isOwn(name) && !name.startsWith('sqlite_'));
  const tables = named('table');
  const columns = tables.map((table) => [
    table,
    all<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
      `pragma table_info(${table})`,
    )
      .map(({ name, type, notnull, dflt_value, pk }) => {
        const isRequired = notnull === 1 || pk > 0;
        return `${name} ${type.toLowerCase()}${isRequired ? ' not null' : ''}${dflt_value === null ? '' : ` ${dflt_value}`}`;
      })
      .sort(),
  ]);
  const indexes = tables.flatMap((table) =>
    all<{ name: string; unique: number }>(`pragma index_list(${table})`).map(
      ({ name, unique }) =>
        `${table} (${all<{ name: string | null }>(`pragma index_info(${name})`)
          .map((column) => column.name ?? EXPRESSION)
          .join(', ')})${unique === 1 ? ' unique' : ''}`,
    ),
  );
  // An integer primary key is the table itself and no index.
  const keys = tables.flatMap((table) => {
    const own = all<{ name: string; pk: number; type: string }>(`pragma table_info(${table})`).filter(
      ({ pk }) => pk > 0,
    );
    return own.length === 1 && own[0]?.type.toLowerCase() === 'integer' ? [`${table} (${own[0].name}) unique`] : [];
  });
  const references = tables.flatMap((table) =>
    all<{ table: string; from: string; to: string | null; on_delete: string; on_update: string }>(
      `pragma foreign_key_list(${table})`,
    ).map((each) => `${table} ${each.from} ${each.table} ${each.to ?? 'key'} ${each.on_delete} ${each.on_update}`),
  );
  return {
    columns: Object.fromEntries(columns) as Schema['columns'],
    indexes: [...indexes, ...keys].sort(),
    references: references.map((each) => each.toLowerCase()).sort(),
    views: named('view'),
    triggers: named('trigger'),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  bigint: 'integer',
  integer: 'integer',
  text: 'text',
  jsonb: 'text',
  bytea: 'blob',
  'double precision': 'real',
};
const ACTIONS: Readonly<Record<string, string>> = { a: 'no action', c: 'cascade' };

async function readPostgres(): Promise<Schema> {
  const database = await openPostgres({ url: await postgresDatabase(), readers: 1 });
  onTestFinished(() => database.close());
  const all = async <Row>(query: string): Promise<Row[]> => (await sql.raw<Row>(query).execute(database.reader)).rows;
  const columns = await all<{ table: string; name: string; type: string; required: number; preset: string | null }>(`
    select c.table_name as table, c.column_name as name, c.data_type as type, c.is_nullable = 'NO' as required,
      c.column_default as preset
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and t.table_type = 'BASE TABLE'`);
  const written = columns
    .filter(({ table }) => isOwn(table))
    .map(({ table, name, type, required, preset }) => ({
      table,
      column: `${name} ${TYPES[type]}${required === 1 ? ' not null' : ''}${preset === null ? '' : ` ${preset.replace('::text', '')}`}`,
    }));
  const indexes = await all<{ table: string; columns: string; unique: number }>(`
    select t.relname as table, i.indisunique as unique,
      (select string_agg(coalesce(a.attname, '${EXPRESSION}'), ', ' order by k.place)
       from unnest(i.indkey::int[]) with ordinality as k (number, place)
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number) as columns
    from pg_index i join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = 'public'`);
  const references = await all<Record<'table' | 'from' | 'other' | 'to' | 'deleted' | 'updated', string>>(`
    select conrelid::regclass::text as table, a.attname as from, confrelid::regclass::text as other, b.attname as to,
      confdeltype as deleted, confupdtype as updated
    from pg_constraint c cross join unnest(conkey, confkey) as k (own, other)
    join pg_attribute a on a.attrelid = conrelid and a.attnum = k.own
    join pg_attribute b on b.attrelid = confrelid and b.attnum = k.other where contype = 'f'`);
  const names = async (query: string) => (await all<{ name: string }>(query)).map(({ name }) => name).sort();
  return {
    columns: Object.fromEntries(
      [...Map.groupBy(written, ({ table }) => table)]
        .sort(([one], [two]) => (one < two ? -1 : 1))
        .map(([table, own]) => [table, own.map(({ column }) => column).sort()]),
    ),
    indexes: indexes
      .filter(({ table }) => isOwn(table))
      .map(({ table, columns: own, unique }) => `${table} (${own})${unique === 1 ? ' unique' : ''}`)
      .sort(),
    references: references
      .filter(({ table }) => isOwn(table))
      .map(({ table, from, other, to, deleted, updated }) =>
        [table, from, other, to, ACTIONS[deleted], ACTIONS[updated]].join(' '),
      )
      .sort(),
    views: (await names("select viewname as name from pg_views where schemaname = 'public'")).filter(isOwn),
    triggers: (await names('select tgname as name from pg_trigger where not tgisinternal')).filter(isOwn),
  };
}
