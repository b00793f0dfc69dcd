import { expect, it } from 'vitest';
import { seededRandom } from '../../scripts/seeded-random.ts';
import { describeCommunity } from '../../src/graph/describe-community.ts';
import { findCommunities } from '../../src/graph/find-communities.ts';

const ENTITIES = 100_000;

it('finds and describes the communities of a hundred thousand entities in bounded time', () => {
  const random = seededRandom(7);
  const name = (place: number) => `e${place}`;
  const entities = Array.from({ length: ENTITIES }, (_, place) => ({
    name: name(place),
    category: null,
    description: '',
    metadata: {},
    mentions: [],
  }));
  const relationships = Array.from({ length: 4 * ENTITIES }, () => {
    const from = random.integer(0, ENTITIES - 1);
    const near = Math.floor(from / 50) * 50 + random.integer(0, 49);
    const to = random.chance(0.8) ? near : random.integer(0, ENTITIES - 1);
    const weight = random.next() + 0.01;
    return {
      subject: name(from),
      predicate: 'knows',
      object: name(to),
      description: '',
      weight,
      metadata: {},
      mentions: [],
    };
  });
  const startedAt = performance.now();
  const groups = findCommunities({ entities, relationships });
  expect(groups.map(describeCommunity)).toHaveLength(groups.length);
  expect(performance.now() - startedAt).toBeLessThan(60_000);
  expect(new Set(groups.map(({ level }) => level)).size).toBeGreaterThanOrEqual(2);
}, 120_000);
