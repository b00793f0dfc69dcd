import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, Metadata } from '../../../../src/documents/document.ts';
import type { Filter, Scalar } from '../../../../src/documents/filter.ts';
import { type FilterRecord, matchesFilter } from '../../../../src/documents/matches-filter.ts';
import { openConnections } from '../../../../src/store/postgres/postgres-dialect.ts';
import { postgresSql } from '../../../../src/store/postgres/postgres-sql.ts';
import { toRaw } from '../../../../src/store/postgres/search/conditions.ts';
import { SQLITE_METADATA_INDEX } from '../../../../src/store/sql/migrations/0028-metadata-values.ts';
import type { Tables } from '../../../../src/store/sql/schema.ts';
import {
  chunkFilterCompiler,
  compileChunkFilter,
  compileDocumentFilter,
} from '../../../../src/store/sql/search/compile-filter.ts';
import type { SqlDialect } from '../../../../src/store/sql/sql-dialect.ts';
import { sqliteSql } from '../../../../src/store/sql/sqlite/sqlite-sql.ts';
import { describePostgres, postgresDatabase } from '../../../support/engines.ts';

// The columns that filters use, as created by the migrations.
const TABLES = `
  create table documents (key integer primary key, id text, owner_id text, type text, title text, metadata text,
    version text, source text, file_name text, media_type text, size_in_bytes integer, content_hash text,
    ingestion_status text, extraction_status text, summary text, total_tokens integer, text_length integer,
    chunk_count integer, created_at text, updated_at text);
  create table document_collections (document_key integer, collection_id text);
  create table chunks (key integer primary key, id text, document_key integer, ordinal integer, text text,
    page integer, metadata text);`;

interface Row {
  readonly title: string;
  readonly source: string | null;
  readonly ordinal: number;
  readonly page: number | null;
  readonly text: string;
  readonly metadata: Metadata;
  readonly ownMetadata: Metadata;
  readonly collectionIds: readonly string[];
}

const DOCUMENT = '11111111-1111-5111-8111-111111111111';
const CHUNK = '22222222-2222-5222-8222-222222222222';
const OWNER = '33333333-3333-5333-8333-333333333333';
const CREATED = '2025-01-02T03:04:05.000Z';

type Target = 'chunk' | 'document';
/** Whether a filter finds a row. */
type InSql = (filter: Filter, row: Row, target: Target) => Promise<boolean>;

const compiled = (dialect: SqlDialect, filter: Filter, target: Target) =>
  target === 'chunk' ? compileChunkFilter(dialect, filter)?.onChunks : compileDocumentFilter(dialect, filter);

const TABLES_OF = { chunk: 'documents d join chunks c on c.document_key = d.key', document: 'documents d' } as const;

async function openSqlite(): Promise<InSql> {
  const database = new DatabaseSync(':memory:');
  database.exec(TABLES);
  for (const statement of SQLITE_METADATA_INDEX) database.exec(statement);
  onTestFinished(() => database.close());
  const count = (
    target: Target,
    { sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] },
  ) =>
    database
      .prepare(`select count(*) as count from ${TABLES_OF[target]} where (${sql})`)
      .get(...(parameters as SQLInputValue[]))?.['count'];
  return async (filter, row, target) => {
    const condition = compiled(sqliteSql, filter, target);
    if (!condition) return true;
    database.exec('delete from documents; delete from document_collections; delete from chunks');
    database
      .prepare(`insert into documents values (1, ?, ?, 'pdf', ?, ?, 'v0', ?, 'file', 'text/plain', 10, 'hash', 'success',
      'pending', null, 5, 6, 7, ?, ?)`)
      .run(DOCUMENT, OWNER, row.title, JSON.stringify(row.metadata), row.source, CREATED, CREATED);
    for (const id of row.collectionIds) database.prepare('insert into document_collections values (1, ?)').run(id);
    database
      .prepare('insert into chunks values (1, ?, 1, ?, ?, ?, ?)')
      .run(CHUNK, row.ordinal, row.text, row.page, JSON.stringify(row.ownMetadata));
    const isFound = count(target, condition) === 1;
    const indexed = target === 'document' ? compileChunkFilter(sqliteSql, filter)?.indexed : undefined;
    // More documents may meet it, but none that passes may be missing.
    if (isFound && indexed !== undefined) expect(count('document', indexed)).toBe(1);
    return isFound;
  };
}

async function openPostgres(): Promise<InSql> {
  const url = await postgresDatabase();
  const database: Kysely<Tables> = openConnections({ name: url, url, size: 1 });
  onTestFinished(() => database.destroy());
  const text = (value: string | null) => sql`${value}::text collate "C"`;
  return async (filter, row, target) => {
    const condition = compiled(postgresSql, filter, target);
    if (!condition) return true;
    const { rows } = await sql<{ count: number }>`
      with documents as (
        select 1::bigint as key, ${text(DOCUMENT)} as id, ${text(OWNER)} as owner_id, ${text('pdf')} as type,
          ${text(row.title)} as title, ${JSON.stringify(row.metadata)}::jsonb as metadata, ${text('v0')} as version,
          ${text(row.source)} as source, ${text('file')} as file_name, ${text('text/plain')} as media_type,
          10::bigint as size_in_bytes, ${text('hash')} as content_hash, ${text('success')} as ingestion_status,
          ${text('pending')} as extraction_status, ${text(null)} as summary, 5 as total_tokens, 6 as text_length,
          7 as chunk_count, ${text(CREATED)} as created_at, ${text(CREATED)} as updated_at
      ), document_collections as (
        select 1::bigint as document_key, unnest(${row.collectionIds}::text[]) collate "C" as collection_id
      ), chunks as (
        select 1::bigint as key, ${text(CHUNK)} as id, 1::bigint as document_key, ${row.ordinal}::integer as ordinal,
          ${text(row.text)} as text, ${row.page}::integer as page, ${JSON.stringify(row.ownMetadata)}::jsonb as metadata
      )
      select count(*) as count from ${sql.raw(TABLES_OF[target])} where ${toRaw(condition)}`.execute(database);
    return rows[0]?.count === 1;
  };
}

const record = (row: Row, target: 'chunk' | 'document'): FilterRecord => ({
  target,
  fields: {
    id: target === 'chunk' ? CHUNK : DOCUMENT,
    document_id: DOCUMENT,
    owner_id: OWNER,
    created_at: CREATED,
    updated_at: CREATED,
    title: row.title,
    document_type: 'pdf',
    version: 'v0',
    source: row.source,
    file_name: 'file',
    media_type: 'text/plain',
    size_in_bytes: 10,
    content_hash: 'hash',
    ingestion_status: 'success',
    extraction_status: 'pending',
    summary: null,
    total_tokens: 5,
    text_length: 6,
    chunk_count: 7,
    ...(target === 'chunk' && { chunk_id: CHUNK, text: row.text, chunk_order: row.ordinal, page_number: row.page }),
  },
  collectionIds: row.collectionIds,
  metadata: row.metadata,
  ownMetadata: target === 'chunk' ? row.ownMetadata : {},
});

// Few distinct values, so that records often match filters.
const keys = fc.constantFrom('a', 'b', 'é"\\', '', 'source', 'title', 'x y', "'; drop table documents; --");
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'É',
    'é',
    'ß',
    '10',
    '9',
    '1.0',
    '1e2',
    ' 7 ',
    'true',
    'false',
    'null',
    'b%c',
    '%',
    '[x]',
    'a*b',
    '😀',
    '\uffff',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }).map((text) => text.toWellFormed().replaceAll('\0', '')),
);
const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1, 9, 10, 100, 2 ** 60, 0.1 + 0.2, -1.5, 1e21, 1e-7),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalars: fc.Arbitrary<Scalar> = fc.oneof(texts, numbers, fc.boolean());
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(scalars, fc.constant(null)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(keys, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const ids = fc.constantFrom('c1', 'c2', '44444444-4444-5444-8444-44444444444a');
const rows: fc.Arbitrary<Row> = fc.record({
  title: texts,
  source: fc.option(texts),
  ordinal: fc.nat(12),
  page: fc.option(fc.nat(12)),
  text: texts,
  metadata: fc.dictionary(keys, json, { maxKeys: 4, noNullPrototype: true }),
  ownMetadata: fc.dictionary(keys, json, { maxKeys: 1, noNullPrototype: true }),
  collectionIds: fc.uniqueArray(ids),
});
const fields = fc.oneof(
  fc.constantFrom('title', 'source', 'type', 'document_type', 'page_number', 'chunk_order', 'text', 'summary'),
  fc.constantFrom(
    'created_at',
    'size_in_bytes',
    'unknown',
    'metadata.',
    'metadata.title',
    'collection_ids',
    'collection_id',
  ),
  keys,
  fc.array(keys, { minLength: 1, maxLength: 3 }).map((path) => `metadata.${path.join('.')}`),
);
const operands = fc.oneof(
  scalars,
  ids,
  fc.constantFrom(DOCUMENT.toUpperCase(), '44444444-4444-5444-8444-44444444444A'),
);
const values = fc.array(operands, { maxLength: 4 });
const patterns = fc
  .array(fc.oneof(texts, fc.constantFrom('%', '_', '\\')), { maxLength: 4 })
  .map((all) => all.join(''));
const { filter: filters } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('compare' as const),
      field: fields,
      op: fc.constantFrom('eq' as const, 'ne' as const, 'gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
      value: operands,
    }),
    fc.record({ kind: fc.constantFrom('isNull' as const, 'isNotNull' as const), field: fields }),
    fc.record({ kind: fc.constantFrom('in' as const, 'notIn' as const), field: fields, values }),
    fc.record({
      kind: fc.constantFrom('overlap' as const, 'contains' as const, 'exactly' as const),
      field: fields,
      values,
    }),
    fc.record({ kind: fc.constant('like' as const), field: fields, pattern: patterns, caseSensitive: fc.boolean() }),
    fc.record({ kind: fc.constant('jsonContains' as const), field: fields, value: json }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      filters: fc.array(tie('filter'), { maxLength: 3 }),
    }),
  ),
}));

describe('a filter in SQL of SQLite', () => defineTests(sqliteSql, openSqlite, 1_500));

describePostgres('a filter in SQL', () => defineTests(postgresSql, openPostgres, 500));

function defineTests(dialect: SqlDialect, open: () => Promise<InSql>, numRuns: number): void {
  for (const target of ['chunk', 'document'] as const) {
    it(`finds exactly the ${target}s that match it in memory`, async () => {
      const inSql = await open();
      await fc.assert(
        fc.asyncProperty(filters, rows, async (filter, row) => {
          expect(await inSql(filter, row, target)).toBe(matchesFilter(filter, record(row, target)));
        }),
        { numRuns },
      );
    });
  }

  it('compares a field with the exact value of a record', async () => {
    const inSql = await open();
    await fc.assert(
      fc.asyncProperty(keys, scalars, fc.boolean(), async (key, value, isOwn) => {
        const own = isOwn ? { [key]: value } : {};
        const row: Row = { ...plainRow, metadata: isOwn ? {} : { [key]: value }, ownMetadata: own };
        const filter: Filter = { kind: 'compare', field: `metadata.${key}`, op: 'eq', value };
        const expected = matchesFilter(filter, record(row, 'chunk'));
        expect(await inSql(filter, row, 'chunk')).toBe(expected);
        if (key !== 'title' || isOwn) expect(expected).toBe(true);
      }),
    );
  });

  it('finds large numbers in a list', async () => {
    const inSql = await open();
    const row: Row = { ...plainRow, metadata: { n: 2 ** 60, list: [2 ** 60] } };
    for (const field of ['n', 'list'])
      for (const target of ['chunk', 'document'] as const)
        expect(await inSql({ kind: 'in', field: `metadata.${field}`, values: [1, 2 ** 60] }, row, target)).toBe(true);
  });

  it('keeps field names and values out of the SQL text', async () => {
    const inSql = await open();
    const hostile = `'"; drop table documents; --`;
    const written = compileChunkFilter(dialect, {
      kind: 'compare',
      field: `metadata.${hostile}`,
      op: 'eq',
      value: hostile,
    });
    expect(written?.onChunks.sql).not.toContain('drop');
    expect(await inSql({ kind: 'compare', field: hostile, op: 'ne', value: hostile }, plainRow, 'chunk')).toBe(true);
  });

  it('accepts as many conditions as a request may have, and thousands of values', async () => {
    const inSql = await open();
    const conditions = Array.from(
      { length: 1_000 },
      (_, number): Filter => ({
        kind: 'compare',
        field: 'metadata.n',
        op: 'eq',
        value: number,
      }),
    );
    const row = { ...plainRow, metadata: { n: 999 } };
    expect(await inSql({ kind: 'or', filters: conditions }, row, 'document')).toBe(true);
    const values = Array.from({ length: 50_000 }, (_, number) => number);
    expect(await inSql({ kind: 'in', field: 'n', values }, row, 'chunk')).toBe(true);
  });

  it('does not double the statement with each level of a nested object', async () => {
    const inSql = await open();
    const nested = (depth: number, innermost: Json): Json =>
      depth === 0 ? innermost : { a: nested(depth - 1, innermost) };
    const filter = (depth: number): Filter => ({ kind: 'jsonContains', field: 'a', value: nested(depth, 1) });
    const length = (depth: number) => compileDocumentFilter(dialect, filter(depth))?.sql.length ?? 0;
    expect(length(40)).toBeLessThan(16 * length(10));
    const row = { ...plainRow, metadata: { a: nested(40, 1) } };
    expect(await inSql(filter(40), row, 'document')).toBe(true);
    expect(await inSql(filter(39), row, 'document')).toBe(false);
    expect(await inSql(filter(40), { ...row, metadata: { a: nested(20, [nested(20, 1)]) } }, 'document')).toBe(false);
  });

  it('does not grow with the operands of a condition', async () => {
    const inSql = await open();
    const many = Array.from({ length: 10_000 }, (_, number) => `c${number}`);
    for (const kind of ['contains', 'exactly', 'overlap', 'in', 'notIn'] as const) {
      for (const field of ['collection_ids', 'tags']) {
        const few = compileChunkFilter(dialect, { kind, field, values: many.slice(0, 2) })?.onChunks;
        const all = compileChunkFilter(dialect, { kind, field, values: many })?.onChunks;
        expect(all?.sql.length).toBeLessThan((few?.sql.length ?? 0) + 20);
        expect(all?.parameters).toHaveLength(few?.parameters.length ?? 0);
      }
    }
    const row = { ...plainRow, metadata: { tags: [...many, true, 7] }, collectionIds: many };
    const contains = (values: readonly Scalar[], field = 'tags'): Filter => ({ kind: 'contains', field, values });
    expect(await inSql(contains([...many, 'c1', '7', 7, true]), row, 'chunk')).toBe(true);
    expect(await inSql(contains([...many, 8]), row, 'chunk')).toBe(false);
    expect(await inSql(contains([...many, 'c1'], 'collection_ids'), row, 'document')).toBe(true);
    expect(await inSql(contains([...many, 'x'], 'collection_ids'), row, 'document')).toBe(false);
  });

  it('refuses more values in conditions than a statement can bind', () => {
    const condition: Filter = { kind: 'in', field: 'metadata.tags', values: ['a', 7, true] };
    const filter = (length: number): Filter => ({ kind: 'or', filters: Array(length).fill(condition) });
    expect(compileChunkFilter(dialect, filter(200))).not.toBeNull();
    expect(() => compileChunkFilter(dialect, filter(1_000))).toThrow(/too many conditions with lists/);
    expect(() => compileChunkFilter(dialect, filter(1_000), { asOf: '2025-01-01' })).toThrow(/too many conditions/);
    expect(() => compileDocumentFilter(dialect, filter(1_000))).toThrow(/too many conditions with lists/);
  });

  it('is compiled once while it is in use, and anew with restrictions', () => {
    const compile = chunkFilterCompiler(dialect);
    const filter: Filter = { kind: 'compare', field: 'metadata.n', op: 'eq', value: 1 };
    const once = compile(filter);
    expect(once).not.toBeNull();
    expect(compile(filter)).toBe(once);
    expect(compile({ ...filter })).toEqual(once);
    expect(compile({ ...filter })).not.toBe(once);
    expect(compile(filter, { asOf: '2025-01-01' })?.past?.at).toBe('2025-01-01');
    expect(compile(filter)).toBe(once);
  });

  it('refuses a too deeply nested filter', () => {
    let deep: Filter = { kind: 'compare', field: 'a', op: 'eq', value: 1 };
    for (let depth = 0; depth < 100; depth++) deep = { kind: 'and', filters: [deep, deep] };
    expect(() => compileDocumentFilter(dialect, deep)).toThrow(/nested more than/);
  });
}

const plainRow: Row = {
  title: 'A title',
  source: null,
  ordinal: 0,
  page: null,
  text: 'Some text',
  metadata: {},
  ownMetadata: {},
  collectionIds: [],
};
