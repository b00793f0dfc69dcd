import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, Metadata } from '../../../../src/documents/document.ts';
import type { Filter } from '../../../../src/documents/filter.ts';
import { SQLITE_METADATA_INDEX } from '../../../../src/store/sql/migrations/0028-metadata-values.ts';
import { compileChunkFilter } from '../../../../src/store/sql/search/compile-filter.ts';
import { sqliteSql } from '../../../../src/store/sql/sqlite/sqlite-sql.ts';

const DOCUMENTS = 'create table documents (key integer primary key, metadata text not null)';

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  database.exec(DOCUMENTS);
  return database;
}

const createIndex = (database: DatabaseSync) => {
  for (const statement of SQLITE_METADATA_INDEX) database.exec(statement);
};

function documentsFound(database: DatabaseSync, which: 'indexed' | 'onDocuments', filter: Filter) {
  const condition = compileChunkFilter(sqliteSql, filter)?.[which];
  if (!condition) return undefined;
  const statement = database.prepare(`select d.key from documents d where (${condition.sql}) order by d.key`);
  return statement.all(...(condition.parameters as SQLInputValue[])).map(({ key }) => Number(key));
}

const long = 'x'.repeat(70);
const scalars = fc.constantFrom<string | number | boolean>(
  ...['', 'a', 'b', '2024-05-01', '2024-06-01', '7', '7.0', ' 7', '1e2', 'true', 'Infinity', '\ud83d\ude00'],
  ...[`${long}a`, `${long}b`, long, '\ud83d\ude00'.repeat(70), 7, 100, -3.5, 2 ** 60, 1e21, true, false],
);
const values: fc.Arbitrary<Json> = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.constant(null),
  fc.record({ inner: scalars }),
);
const metadata: fc.Arbitrary<Metadata> = fc.dictionary(fc.constantFrom('one', 'two'), values, {
  noNullPrototype: true,
});
const field = fc.constantFrom('metadata.one', 'metadata.two', 'metadata.one.inner');
const conditions: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    field,
    op: fc.constantFrom('eq' as const, 'gt' as const, 'gte' as const, 'lt' as const, 'lte' as const, 'ne' as const),
    value: scalars,
  }),
  fc.record({
    kind: fc.constantFrom('in' as const, 'overlap' as const, 'contains' as const, 'exactly' as const),
    field,
    values: fc.array(scalars, { maxLength: 3 }),
  }),
);
const filters: fc.Arbitrary<Filter> = fc.oneof(
  conditions,
  fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), filters: fc.array(conditions, { maxLength: 4 }) }),
);

describe('the index of metadata values', () => {
  it('holds every document that passes a filter, as it is created, changed and removed', () => {
    const database = openDatabase();
    const add = database.prepare('insert into documents (metadata) values (?)');
    const before = fc.sample(metadata, 40);
    for (const each of before) add.run(JSON.stringify(each));
    createIndex(database);
    let compared = 0;
    const check = (filter: Filter) => {
      const indexed = documentsFound(database, 'indexed', filter);
      if (indexed === undefined) return;
      const passing = documentsFound(database, 'onDocuments', filter) ?? [];
      expect(indexed).toEqual(expect.arrayContaining(passing));
      compared += passing.length;
    };
    const change = database.prepare('update documents set metadata = ? where key = ?');
    const remove = database.prepare('delete from documents where key = ?');
    const steps = fc.oneof(
      metadata.map((each) => () => void add.run(JSON.stringify(each))),
      fc.tuple(metadata, fc.nat(80)).map(
        ([each, key]) =>
          () =>
            void change.run(JSON.stringify(each), key),
      ),
      fc.nat(80).map((key) => () => void remove.run(key)),
    );
    fc.assert(
      fc.property(filters, steps, (filter, step) => {
        check(filter);
        step();
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(1_000);

    // What the triggers left is what a new index holds.
    const rows = (from: DatabaseSync) =>
      from
        .prepare(
          `select f.name, v.value, v.document_key from metadata_values v join metadata_fields f on f.key = v.field
           order by f.name, v.value, v.document_key`,
        )
        .all();
    const fresh = openDatabase();
    for (const { key, metadata: stored } of database.prepare('select key, metadata from documents').all())
      fresh.prepare('insert into documents values (?, ?)').run(Number(key), String(stored));
    createIndex(fresh);
    expect(rows(database)).toEqual(rows(fresh));
    database.exec('delete from documents');
    expect(rows(database)).toEqual([]);
  });

  it('selects few documents for a value, a range and a list', () => {
    const database = openDatabase();
    createIndex(database);
    const add = database.prepare('insert into documents (metadata) values (?)');
    for (let number = 0; number < 100; number++)
      add.run(JSON.stringify({ number, day: `2024-05-${10 + (number % 20)}`, tags: [`t${number % 50}`, 'all'] }));
    const compare = (name: string, op: 'eq' | 'gte' | 'lt', value: string | number): Filter => ({
      kind: 'compare',
      field: `metadata.${name}`,
      op,
      value,
    });
    const both = (...parts: Filter[]): Filter => ({ kind: 'and', filters: parts });
    const count = (filter: Filter) => documentsFound(database, 'indexed', filter)?.length;
    expect(count(compare('number', 'eq', 7))).toBe(1);
    expect(count(compare('number', 'eq', '7'))).toBe(1);
    expect(count(both(compare('number', 'gte', 20), compare('number', 'lt', 25)))).toBe(6);
    expect(count(both(compare('day', 'gte', '2024-05-12'), compare('day', 'lt', '2024-05-13')))).toBe(10);
    expect(count({ kind: 'in', field: 'metadata.number', values: [1, 2, 200] })).toBe(2);
    expect(count({ kind: 'overlap', field: 'metadata.tags', values: ['t1', 't2'] })).toBe(4);
    expect(count({ kind: 'or', filters: [compare('number', 'eq', 1), compare('number', 'eq', 2)] })).toBe(2);
    expect(count(both(compare('number', 'eq', 1), { kind: 'isNull', field: 'metadata.other' }))).toBe(1);
  });

  it('can be searched with as many conditions as a filter may have', () => {
    const database = openDatabase();
    createIndex(database);
    database.prepare('insert into documents (metadata) values (?)').run(JSON.stringify({ n0: 1, n999: 1 }));
    const filters = Array.from(
      { length: 1_000 },
      (_, number): Filter => ({ kind: 'compare', field: `metadata.n${number}`, op: 'eq', value: 1 }),
    );
    expect(documentsFound(database, 'indexed', { kind: 'and', filters })).toEqual([]);
    const both = { kind: 'and', filters: [filters[0], filters[999]].filter((each) => each !== undefined) } as const;
    expect(documentsFound(database, 'indexed', both)).toEqual([1]);
  });

  it('is not used where it would not decide', () => {
    const indexed = (filter: Filter) => compileChunkFilter(sqliteSql, filter)?.indexed;
    const isOne: Filter = { kind: 'compare', field: 'metadata.one', op: 'eq', value: 1 };
    expect(indexed(isOne)).toBeDefined();
    expect(indexed({ kind: 'or', filters: [isOne, { kind: 'isNull', field: 'metadata.one' }] })).toBeUndefined();
    expect(indexed({ ...isOne, op: 'ne' })).toBeUndefined();
    expect(indexed({ ...isOne, field: 'metadata.one.inner' })).toBeUndefined();
    // The column of this name applies to documents whose metadata have no such member.
    expect(indexed({ ...isOne, field: 'file_name' })).toBeUndefined();
    expect(indexed({ ...isOne, field: 'title' })).toBeUndefined();
  });

  it('is maintained without reading all of it', () => {
    const database = openDatabase();
    createIndex(database);
    const triggers = database.prepare("select sql from sqlite_master where type = 'trigger'").all();
    const deletions = triggers.flatMap(({ sql }) => /delete from metadata_values[^;]*/.exec(String(sql)) ?? []);
    expect(deletions).toHaveLength(2);
    for (const deletion of deletions) {
      const plain = deletion.replaceAll('old.metadata', `'{"a":1}'`).replaceAll('old.key', '1');
      const plan = database.prepare(`explain query plan ${plain}`).all();
      expect(plan[0]?.['detail']).toBe(
        'SEARCH metadata_values USING PRIMARY KEY (field=? AND value=? AND document_key=?)',
      );
    }
  });
});
