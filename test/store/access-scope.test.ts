import { expect, it } from 'vitest';
import type { Filter } from '../../src/documents/filter.ts';
import { scopeConditionsOf } from '../../src/store/access-scope.ts';
import { toMetadata, toWhere } from '../../src/store/chroma/scope-metadata.ts';

const owner = (value: string): Filter => ({ kind: 'compare', field: 'owner_id', op: 'eq', value });
const inAny = (...values: string[]): Filter => ({ kind: 'overlap', field: 'collection_ids', values });
const year: Filter = { kind: 'compare', field: 'metadata.year', op: 'gt', value: 1900 };
const both = (...filters: Filter[]): Filter => ({ kind: 'and', filters });
const either = (...filters: Filter[]): Filter => ({ kind: 'or', filters });

it.each<readonly [string, Filter, unknown]>([
  ['everything', { kind: 'all' }, []],
  ['other fields', year, []],
  ['an owner', owner('a'), [{ owners: ['a'], collections: [] }]],
  ['a collection', inAny('c'), [{ owners: [], collections: ['c'] }]],
  ['what a user may see', either(owner('a'), inAny('c', 'd')), [{ owners: ['a'], collections: ['c', 'd'] }]],
  ['an owner and more', both(owner('a'), year), [{ owners: ['a'], collections: [] }]],
  ['an owner or anything else', either(owner('a'), year), []],
  ['nothing of an owner', { kind: 'compare', field: 'owner_id', op: 'ne', value: 'a' }, []],
  [
    'a collection of what a user may see',
    both(either(owner('a'), inAny()), inAny('c')),
    [
      { owners: ['a'], collections: [] },
      { owners: [], collections: ['c'] },
    ],
  ],
])('the scope conditions of %s', (_, filter, conditions) => {
  expect(scopeConditionsOf(filter)).toEqual(conditions);
});

it('uses at most as many predicates as allowed, the narrowest conditions first', () => {
  const collection = { owners: [], collections: ['c'] };
  const visible = { owners: ['a'], collections: ['c', 'd', 'e'] };
  const ofCollection = {
    $or: [
      { collection0: { $in: ['c'] } },
      { collection1: { $in: ['c'] } },
      { collection2: { $in: ['c'] } },
      { more: true },
    ],
  };
  expect(toWhere([visible, collection], 8)).toEqual(ofCollection);
  expect(toWhere([collection, { owners: ['a'], collections: [] }], 8)).toEqual({
    $and: [ofCollection, { owner: { $in: ['a'] } }],
  });
  expect(toWhere([visible], 4)).toBeUndefined();
  expect(toWhere([], 8)).toBeUndefined();
});

it('respects the keys and sizes that Chroma Cloud allows, however many collections there are', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const metadata = toMetadata({ owner: id, collections: Array.from({ length: 50 }, (_, index) => `${id}-${index}`) });
  expect(Object.keys(metadata)).toEqual(['owner', 'collection0', 'collection1', 'collection2', 'more']);
  expect(metadata['more']).toBe(true);
  expect(toMetadata({ owner: id, collections: ['b', 'a'] })).toEqual({
    owner: id,
    collection0: 'a',
    collection1: 'b',
    collection2: '',
    more: false,
  });
});
