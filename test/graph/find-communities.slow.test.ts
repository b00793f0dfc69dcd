import { expect, it } from 'vitest';
import { seededRandom } from '../../scripts/seeded-random.ts';
import { describeCommunity } from '../../src/graph/describe-community.ts';
import { findCommunities } from '../../src/graph/find-communities.ts';

const ENTITIES = 100_000;

it('finds and describes the communities of a hundred thousand entities in nearly linear time', () => {
  const tenth = timed(ENTITIES / 10);
  const whole = timed(ENTITIES);
  // Ten times the entities; quadratic work would take a hundred times as long.
  expect(whole.milliseconds).toBeLessThan(40 * tenth.milliseconds);
  expect(new Set(whole.groups.map(({ level }) => level)).size).toBeGreaterThanOrEqual(2);
});

function timed(size: number) {
  const graph = randomGraph(size);
  const startedAt = performance.now();
  const groups = findCommunities(graph);
  expect(groups.map(describeCommunity)).toHaveLength(groups.length);
  return { groups, milliseconds: performance.now() - startedAt };
}

function randomGraph(size: number) {
  const random = seededRandom(7);
  const name = (place: number) => `e${place}`;
  const entities = Array.from({ length: size }, (_, place) => ({
    name: name(place),
    category: null,
    description: '',
    metadata: {},
    mentions: [],
  }));
  const relationships = Array.from({ length: 4 * size }, () => {
    const from = random.integer(0, size - 1);
    const near = Math.floor(from / 50) * 50 + random.integer(0, 49);
    const to = random.chance(0.8) ? near : random.integer(0, size - 1);
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
  return { entities, relationships };
}
