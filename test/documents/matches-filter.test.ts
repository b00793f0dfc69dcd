import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/documents/filter.ts';
import { type FilterRecord, matchesFilter } from '../../src/documents/matches-filter.ts';

const DOCUMENT = '9fbe403b-c11c-5aae-8ade-ef22980c3ad1';

const record: FilterRecord = {
  target: 'chunk',
  fields: {
    id: 'c1',
    document_id: DOCUMENT,
    owner_id: 'owner',
    title: 'Crime and Punishment',
    document_type: 'pdf',
    version: 'v0',
    chunk_order: 4,
    page_number: 9,
    text: 'On an exceptionally hot evening',
    created_at: '2025-03-01T10:00:00.000Z',
    source: null,
  },
  collectionIds: ['col-a', 'col-b'],
  metadata: {
    year: 1866,
    rating: 4.5,
    zip: '01234',
    count: '12',
    isClassic: true,
    tags: ['russian', 'novel', 3],
    author: { name: 'Dostoevsky', born: { year: 1821 } },
    nothing: null,
    source: 'library',
    mood: 'inherited',
  },
  ownMetadata: { mood: 'grim', author: { name: 'edited' } },
};

const compare = (field: string, op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', value: string | number | boolean) =>
  ({ kind: 'compare', field, op, value }) as const;
const many = (
  kind: 'in' | 'notIn' | 'overlap' | 'contains' | 'exactly',
  field: string,
  ...values: (string | number)[]
) => ({ kind, field, values }) as const;
const like = (field: string, pattern: string, caseSensitive = true) =>
  ({ kind: 'like', field, pattern, caseSensitive }) as const;

const cases: readonly (readonly [string, Filter, boolean])[] = [
  ['a number equals a number', compare('metadata.year', 'eq', 1866), true],
  ['a bare name means metadata', compare('year', 'eq', 1866), true],
  ['numbers are ordered as numbers', compare('year', 'gt', 900), true],
  ['a number operand reads a numeric string', compare('count', 'gt', 9), true],
  ['a text operand reads a number as its text', compare('year', 'eq', '1866'), true],
  ['texts are ordered as texts', compare('count', 'gt', '9'), false],
  ['a leading zero is not lost', compare('zip', 'eq', '1234'), false],
  ['a number operand does not read other strings', compare('title', 'gt', 0), false],
  ['a boolean equals a boolean', compare('isClassic', 'eq', true), true],
  ['a boolean does not equal a number', compare('isClassic', 'eq', 1), false],
  ['dates are compared as texts', compare('created_at', 'gte', '2025-03-01'), true],
  ['an absent field fails a comparison', compare('publisher', 'eq', 'x'), false],
  ['an absent field fails a range', compare('publisher', 'lt', 'x'), false],
  ['an absent field differs from everything', compare('publisher', 'ne', 'x'), true],
  ['an absent field is in no list', many('in', 'publisher', 'x'), false],
  ['an absent field is outside every list', many('notIn', 'publisher', 'x'), true],
  ['an absent field is null', { kind: 'isNull', field: 'publisher' }, true],
  ['a null field is null', { kind: 'isNull', field: 'nothing' }, true],
  ['a null field fails a comparison', compare('nothing', 'eq', 'null'), false],
  ['a field with a value is not null', { kind: 'isNotNull', field: 'year' }, true],
  ['a list may hold numbers', many('in', 'year', 1865, 1866), true],
  ['an array is in a list that has one of its elements', many('in', 'tags', 'x', 'novel'), true],
  ['and not in a list without', many('in', 'tags', 'x', 'y'), false],
  ['an empty list holds nothing', many('in', 'year'), false],
  ['nothing is in an empty list', many('notIn', 'year'), true],
  ['dots lead into nested metadata', compare('metadata.tags', 'eq', 'russian'), false],
  ['a chunk’s own edit wins over the document', compare('mood', 'eq', 'grim'), true],
  ['an own edit hides the whole key', compare('author.born.year', 'eq', 1821), false],
  ['title matches the document record', compare('title', 'eq', 'Crime and Punishment'), true],
  ['metadata.title is the title too', compare('metadata.title', 'eq', 'Crime and Punishment'), true],
  ['document_type matches the document record', compare('document_type', 'eq', 'pdf'), true],
  ['type is another name for it', compare('type', 'eq', 'pdf'), true],
  ['a user’s own "source" wins over the record’s', compare('source', 'eq', 'library'), true],
  ['identifiers ignore the case of UUIDs', compare('document_id', 'eq', DOCUMENT.toUpperCase()), true],
  ['chunk_order is a number', compare('chunk_order', 'lt', 5), true],
  ['$eq on the collections asks for just this one', compare('collection_ids', 'eq', 'col-a'), false],
  ['$in on the collections asks for one of them', many('in', 'collection_ids', 'col-a', 'col-z'), true],
  ['overlap shares an element', many('overlap', 'collection_ids', 'col-b'), true],
  ['overlap with nothing is false', many('overlap', 'collection_ids'), false],
  ['contains asks for all', many('contains', 'collection_ids', 'col-a', 'col-z'), false],
  ['contains nothing is true', many('contains', 'tags'), true],
  ['exactly takes any order', many('exactly', 'collection_ids', 'col-b', 'col-a'), true],
  ['collection_id asks about one of them', compare('collection_id', 'eq', 'col-b'), true],
  ['collection_id differs when it is none of them', compare('collection_id', 'ne', 'col-b'), false],
  ['arrays of metadata can be asked for elements', many('contains', 'tags', 'novel', 3), true],
  ['a scalar is no array', many('overlap', 'year', 1866), false],
  ['% stands for anything', like('title', 'Crime%ment'), true],
  ['_ stands for one character', like('title', 'Cr_me%'), true],
  ['a pattern covers the whole text', like('title', 'Crime'), false],
  ['like respects case', like('title', 'crime%'), false],
  ['ilike does not', like('title', 'CRIME%', false), true],
  ['a backslash takes the meaning away', like('title', '\\%Crime%'), false],
  ['like reads no numbers', like('year', '18%'), false],
  ['an object contains part of it', { kind: 'jsonContains', field: 'author', value: { name: 'edited' } }, true],
  ['an array contains a scalar of it', { kind: 'jsonContains', field: 'tags', value: 3 }, true],
  ['JSON is compared by type', { kind: 'jsonContains', field: 'year', value: '1866' }, false],
  ['an empty "and" holds', { kind: 'and', filters: [] }, true],
  ['an empty "or" does not', { kind: 'or', filters: [] }, false],
  ['"and" needs all', { kind: 'and', filters: [compare('year', 'eq', 1866), compare('year', 'eq', 1)] }, false],
  ['"or" needs one', { kind: 'or', filters: [compare('year', 'eq', 1866), compare('year', 'eq', 1)] }, true],
];

describe('matchesFilter', () => {
  it.each(cases)('%s', (_, filter, expected) => {
    expect(matchesFilter(filter, record)).toBe(expected);
  });
});
