import { expect, it } from 'vitest';
import { type IndexLimits, indexRequest } from '../../../../src/store/sql/search/index-request.ts';

const limits: IndexLimits = { allowed: 1_000_000, scopes: [], candidates: 0 };
const query = { limit: 50, measure: 'cosine_distance' } as const;

it.each([
  { visible: 100_000, matching: 5_000, requested: 1_260, isSlow: true },
  { visible: 100_000, matching: 10_000, requested: 635, isSlow: false },
  { visible: 1_000_000, matching: 30_000, requested: 2_094, isSlow: true },
  { visible: 1_000_000, matching: 50_000, requested: 1_260, isSlow: false },
])(
  '$requested hits are slow: $isSlow, with $matching of $visible chunks',
  ({ visible, matching, requested, isSlow }) => {
    expect(indexRequest({ visible, matching, past: [] }, query, limits)).toMatchObject({ requested, isSlow });
  },
);

it('asks an index that can leave out most chunks for few hits, which is fast', () => {
  const few = { ...limits, allowed: 300, scopes: [{ owners: [], collections: ['one'] }] };
  const request = indexRequest({ visible: 100_000, matching: 5_000, past: [] }, query, few);
  expect(request).toMatchObject({ requested: 73, isSlow: false });
});
