import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everything, type Filter } from '../../src/documents/filter.ts';
import { readFilter } from '../../src/documents/read-filter.ts';
import { ServiceError } from '../../src/errors.ts';

const compare = (field: string, op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', value: string | number | boolean) =>
  ({ kind: 'compare', field, op, value }) satisfies Filter;
const year = compare('metadata.year', 'gt', 2020);
const pdf = compare('document_type', 'eq', 'pdf');

describe('a filter of a request', () => {
  it.each<[string, unknown, Filter]>([
    ['an empty object means everything', {}, everything],
    ['$eq', { title: { $eq: 'a' } }, compare('title', 'eq', 'a')],
    ['a bare value is $eq', { document_type: 'pdf' }, pdf],
    ['$ne', { year: { $ne: 1 } }, compare('year', 'ne', 1)],
    ['$neq is $ne', { year: { $neq: 1 } }, compare('year', 'ne', 1)],
    ['$gt', { 'metadata.year': { $gt: 2020 } }, year],
    ['$gte', { a: { $gte: '2020-01-01' } }, compare('a', 'gte', '2020-01-01')],
    ['$lt', { a: { $lt: true } }, compare('a', 'lt', true)],
    ['$lte', { a: { $lte: 0 } }, compare('a', 'lte', 0)],
    ['null asks for absence', { a: { $eq: null } }, { kind: 'isNull', field: 'a' }],
    ['a bare null asks for absence', { a: null }, { kind: 'isNull', field: 'a' }],
    ['not null asks for presence', { a: { $ne: null } }, { kind: 'isNotNull', field: 'a' }],
    ['$in', { a: { $in: [1, 'x'] } }, { kind: 'in', field: 'a', values: [1, 'x'] }],
    ['an empty $in holds for nothing', { a: { $in: [] } }, { kind: 'none' }],
    [
      '$in with null also takes the absent',
      { a: { $in: [1, null] } },
      {
        kind: 'or',
        filters: [
          { kind: 'isNull', field: 'a' },
          { kind: 'in', field: 'a', values: [1] },
        ],
      },
    ],
    ['$nin', { a: { $nin: [1] } }, { kind: 'notIn', field: 'a', values: [1] }],
    ['an empty $nin holds for everything', { a: { $nin: [] } }, everything],
    ['$like', { a: { $like: 'x%' } }, { kind: 'like', field: 'a', pattern: 'x%', caseSensitive: true }],
    ['$ilike', { a: { $ilike: 'x_' } }, { kind: 'like', field: 'a', pattern: 'x_', caseSensitive: false }],
    ['$overlap', { tags: { $overlap: ['a'] } }, { kind: 'overlap', field: 'tags', values: ['a'] }],
    ['an empty $overlap holds for nothing', { tags: { $overlap: [] } }, { kind: 'none' }],
    ['$contains', { tags: { $contains: ['a', 'b'] } }, { kind: 'contains', field: 'tags', values: ['a', 'b'] }],
    ['$contains of one', { tags: { $contains: 'a' } }, { kind: 'contains', field: 'tags', values: ['a'] }],
    ['an empty $contains holds for everything', { tags: { $contains: [] } }, everything],
    ['$json_contains', { a: { $json_contains: { b: [1] } } }, { kind: 'jsonContains', field: 'a', value: { b: [1] } }],
    ['several keys are all needed', { document_type: 'pdf', 'metadata.year': { $gt: 2020 } }, all(pdf, year)],
    [
      'several operators on a field are all needed',
      { y: { $gte: 1, $lt: 3 } },
      all(compare('y', 'gte', 1), compare('y', 'lt', 3)),
    ],
    ['$and', { $and: [{ document_type: 'pdf' }, { 'metadata.year': { $gt: 2020 } }] }, all(pdf, year)],
    [
      '$or',
      { $or: [{ document_type: 'pdf' }, { 'metadata.year': { $gt: 2020 } }] },
      { kind: 'or', filters: [pdf, year] },
    ],
    ['an empty $and holds', { $and: [] }, everything],
    ['an empty $or does not', { $or: [] }, { kind: 'none' }],
    [
      'collection_ids: a bare list is overlap',
      { collection_ids: ['a', 'b'] },
      { kind: 'overlap', field: 'collection_ids', values: ['a', 'b'] },
    ],
    [
      'collection_ids: $in is overlap',
      { collection_ids: { $in: ['a'] } },
      { kind: 'overlap', field: 'collection_ids', values: ['a'] },
    ],
    [
      'collection_ids: $eq is just this one',
      { collection_ids: { $eq: 'a' } },
      { kind: 'exactly', field: 'collection_ids', values: ['a'] },
    ],
    [
      'collection_id: $eq is membership',
      { collection_id: { $eq: 'a' } },
      { kind: 'contains', field: 'collection_ids', values: ['a'] },
    ],
    [
      'collection_id: $ne is its opposite',
      { collection_id: { $ne: 'a' } },
      { kind: 'notIn', field: 'collection_ids', values: ['a'] },
    ],
    [
      'collection_ids: $nin is one condition, however long',
      { collection_ids: { $nin: manyTexts(10_000) } },
      { kind: 'notIn', field: 'collection_ids', values: manyTexts(10_000) },
    ],
    [
      'a time in another zone is compared as the same time in UTC',
      { created_at: { $gt: '2026-03-01T13:00:00.25+01:00' } },
      compare('created_at', 'gt', '2026-03-01T12:00:00.250Z'),
    ],
    [
      'a time as PostgreSQL writes it',
      { updated_at: { $lte: '2026-03-01 12:00:00.123456+00' } },
      compare('updated_at', 'lte', '2026-03-01T12:00:00.123Z'),
    ],
    [
      'a time without fraction or zone',
      { created_at: { $lt: '2026-03-01T12:00:00' } },
      compare('created_at', 'lt', '2026-03-01T12:00:00.000Z'),
    ],
    [
      'a date is its first moment in UTC',
      { created_at: { $gte: '2026-03-01' } },
      compare('created_at', 'gte', '2026-03-01T00:00:00.000Z'),
    ],
    [
      'every time of a list',
      { created_at: { $in: ['2026-03-01', '2026-03-02T00:00:00-0100'] } },
      { kind: 'in', field: 'created_at', values: ['2026-03-01T00:00:00.000Z', '2026-03-02T01:00:00.000Z'] },
    ],
    ['an absent time', { created_at: null }, { kind: 'isNull', field: 'created_at' }],
    [
      'a time as a text pattern',
      { created_at: { $like: '2026-03%' } },
      { kind: 'like', field: 'created_at', pattern: '2026-03%', caseSensitive: true },
    ],
    [
      'metadata of the same name is no time',
      { 'metadata.created_at': 'spring' },
      compare('metadata.created_at', 'eq', 'spring'),
    ],
    ['names stay what they are', { "x'; DROP TABLE chunks": 1 }, compare("x'; DROP TABLE chunks", 'eq', 1)],
    ['even those of Object', { constructor: 1 }, compare('constructor', 'eq', 1)],
  ])('%s', (_, wire, filter) => {
    expect(readFilter(wire)).toEqual(filter);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown operator, naming the known ones', { a: { $near: 1 } }, /"\$near".*\$eq, \$ne.*\$json_contains/],
    ['an operator out of Object', { a: { constructor: 1 } }, /"constructor" is not a filter operator/],
    ['an operator where a field belongs', { $not: {} }, /"\$not".*\$and, \$or/],
    ['a condition without operator', { a: {} }, /condition on "a" is empty/],
    ['$in without a list', { a: { $in: 'x' } }, /"\$in" on "a" takes a list/],
    ['$and without a list', { $and: {} }, /"\$and" takes a list of filters/],
    ['a comparison with an object', { a: { $gt: {} } }, /compares with a string, number or boolean/],
    ['a pattern that is no string', { a: { $like: 1 } }, /takes a pattern string/],
    ['a time that is none', { created_at: { $gt: 'yesterday' } }, /"\$gt" on "created_at".*2026-03-01.*"yesterday"/],
    ['a day that no month has', { updated_at: '2026-02-31T00:00:00Z' }, /compares with a time/],
    ['a number as a time', { created_at: { $in: [1772366400] } }, /compares with a time.*1772366400/],
    ['a filter that is no object', { $and: ['x'] }, /A filter is an object/],
    ['nesting without end', nested(40), /at most 16 deep/],
    [
      'conditions without end',
      Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, 1])),
      /at most 1000/,
    ],
    ['comparisons without end', { a: { $json_contains: { b: manyTexts(1_000) } } }, /at most 1000 conditions/],
    ['a list without end', { a: { $contains: manyTexts(10_001) } }, /"\$contains" on "a" takes at most 10000/],
    ['a path without end', { [`metadata${'.a'.repeat(70)}`]: 1 }, /at most 64 parts/],
  ])('is refused for %s', (_, wire, message) => {
    expect(() => readFilter(wire)).toThrow(message);
    expect(() => readFilter(wire)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('is parsed or refused with a message, whatever the input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (wire) => {
        try {
          readFilter(wire);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
    );
  });
});

function manyTexts(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `c${number}`);
}

function all(...filters: Filter[]): Filter {
  return { kind: 'and', filters };
}

function nested(depth: number): unknown {
  return depth === 0 ? { a: 1 } : { $and: [nested(depth - 1)] };
}
