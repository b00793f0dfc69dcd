import { describe, expect, it } from 'vitest';
import { describeCommunity } from '../../src/graph/describe-community.ts';
import { findCommunities } from '../../src/graph/find-communities.ts';
import type { Entity, ExtractedGraph, Relationship } from '../../src/graph/graph.ts';
import { describeCommunityWithModel } from '../../src/graph/model/describe-with-model.ts';
import { says, scriptedModel } from '../support/scripted-model.ts';

const entity = (name: string, rest: Partial<Entity> = {}): Entity => ({
  name,
  category: null,
  description: `${name} is described.`,
  metadata: {},
  mentions: [],
  ...rest,
});
const relationship = (subject: string, object: string, weight = 1): Relationship => ({
  subject,
  predicate: 'works_with',
  object,
  description: `${subject} works with ${object}.`,
  weight,
  metadata: {},
  mentions: [],
});

/** A nested graph: strong edges within a team, weak within a house, almost none between houses. */
function houses(count: number, teams: number, size: number): ExtractedGraph {
  const entities: Entity[] = [];
  const relationships: Relationship[] = [];
  const name = (house: number, team: number, place: number) => `h${house}t${team}p${place}`;
  for (let house = 0; house < count; house++) {
    for (let team = 0; team < teams; team++) {
      for (let place = 0; place < size; place++) {
        entities.push(entity(name(house, team, place)));
        for (let other = 0; other < place; other++)
          relationships.push(relationship(name(house, team, place), name(house, team, other), 3));
      }
      for (let next = 0; next < team; next++) {
        for (let place = 0; place < size; place++) {
          for (let other = 0; other < size; other++) {
            relationships.push(relationship(name(house, team, place), name(house, next, other), 0.4));
          }
        }
      }
    }
    if (house > 0) relationships.push(relationship(name(house, 0, 0), name(house - 1, 0, 0), 0.1));
  }
  return { entities, relationships };
}

describe('communities of a graph', () => {
  it('are found in levels, each within the one above', () => {
    const groups = findCommunities(houses(6, 6, 8));
    const [coarse, fine] = [0, 1].map((level) => groups.filter((group) => group.level === level));
    expect(coarse?.map(({ members }) => members.length)).toEqual(Array.from({ length: 6 }, () => 48));
    expect(fine?.map(({ members }) => members.length)).toEqual(Array.from({ length: 36 }, () => 8));
    for (const { parent, members } of fine ?? []) {
      const above = new Set(groups[parent ?? -1]?.members);
      expect(members.every((member) => above.has(member))).toBe(true);
    }
  });

  it('are the same for the same graph', () => {
    const graph = houses(2, 4, 9);
    expect(findCommunities(graph)).toEqual(findCommunities(graph));
  });

  it('are empty without relationships, and ignore invalid pairs and weights', () => {
    expect(findCommunities({ entities: [entity('a'), entity('b')], relationships: [] })).toEqual([]);
    const odd = [relationship('a', 'b', Number.NaN), relationship('a', 'ghost'), relationship('a', 'a')];
    expect(findCommunities({ entities: [entity('a'), entity('b')], relationships: odd })).toEqual([]);
    expect(findCommunities({ entities: [entity('a'), entity('b')], relationships: [relationship('a', 'b')] })).toEqual(
      [],
    );
  });

  it('list the most central member first', () => {
    const spokes = ['b', 'c', 'd', 'e'];
    const graph = {
      entities: [...spokes, 'hub'].map((name) => entity(name)),
      relationships: spokes.map((name) => relationship(name, 'hub')),
    };
    const [group] = findCommunities(graph);
    expect(group?.members[0]?.name).toBe('hub');
    expect(group).toMatchObject({ cohesion: 1, reach: 1, level: 0, parent: null });
  });
});

describe('a description of a community', () => {
  const acme = {
    entities: [
      entity('Acme', { description: 'Acme makes anvils.' }),
      entity('Oslo'),
      entity('1903', { category: 'date' }),
      entity('Jane Roe', { description: 'Jane Roe founded Acme.' }),
    ],
    relationships: [
      relationship('Jane Roe', 'Acme', 2),
      relationship('Acme', 'Oslo', 1),
      relationship('Acme', '1903', 3),
    ],
  };
  const [group] = findCommunities(acme);

  it('is made of words of its documents, and explains its rating', () => {
    if (group === undefined) throw new Error('There is no community.');
    const community = describeCommunity(group);
    expect(community.name).toBe('Acme, Jane Roe and Oslo');
    expect(community.summary).toContain('Acme makes anvils.');
    expect(community.findings).toContain('Jane Roe works with Acme: Jane Roe works with Acme.');
    expect(community.rating).toBeGreaterThanOrEqual(1);
    expect(community.rating).toBeLessThanOrEqual(10);
    expect(community.ratingExplanation).toContain(
      '4 entities with 3 relationships among them, most of them around Acme',
    );
  });

  it('is written by a model if there is one, and made of the documents when its reply is invalid', async () => {
    if (group === undefined) throw new Error('There is no community.');
    const never = new AbortController().signal;
    const written = { name: 'Anvil makers', summary: 'They make anvils.', findings: ['Acme is in Oslo.'], rating: 7 };
    const model = scriptedModel(says(`Sure: ${JSON.stringify(written)}`));
    expect(await describeCommunityWithModel(group, { model }, never)).toMatchObject({
      ...written,
      level: 0,
      members: expect.arrayContaining(['Acme']),
    });
    expect(await describeCommunityWithModel(group, { model: scriptedModel(says('no')) }, never)).toEqual(
      describeCommunity(group),
    );
  });
});
