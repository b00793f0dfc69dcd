import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity, ExtractedGraph, Relationship } from '../../src/graph/graph.ts';
import { mergeGraphs } from '../../src/graph/merge-graphs.ts';

let chunk = 0;
const entity = (name: string, category: string | null = null, rest: Partial<Entity> = {}): Entity => ({
  name,
  category,
  description: `${name}.`,
  metadata: {},
  mentions: [{ chunkId: `c${chunk++}`, start: 0, end: name.length }],
  ...rest,
});
const relationship = (subject: string, predicate: string, object: string, weight = 1): Relationship => ({
  subject,
  predicate,
  object,
  description: '',
  weight,
  metadata: {},
  mentions: [{ chunkId: `c${chunk++}`, start: 0, end: 9 }],
});
const graph = (entities: Entity[], relationships: Relationship[] = []): ExtractedGraph => ({ entities, relationships });
const merged = (...entities: Entity[]) => mergeGraphs(entities.map((each) => graph([each]))).entities;
const names = (...entities: Entity[]) => merged(...entities).map(({ name }) => name);

describe('merging the graphs of documents', () => {
  it.each([
    ['ACME', 'Acme'],
    ['Acme Corp.', 'Acme'],
    ['Nordwind GmbH', 'Nordwind'],
    ['The European Union', 'European Union'],
    ['Málaga', 'Malaga'],
    ['Málaga’s', 'Málaga'],
    ['U.N.', 'UN'],
    ['Marks & Spencer', 'Marks and Spencer'],
    ['large language models', 'large language model'],
    ['batteries', 'battery'],
  ])('merges %s and %s', (one, other) => {
    expect(merged(entity(one), entity(other))).toHaveLength(1);
  });

  it.each([
    ['Paris', 'Pari'],
    ['Williams', 'William'],
    ['John Smith', 'Jane Smith'],
    ['bus', 'bu'],
    ['C++', 'C'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(merged(entity(one), entity(other))).toHaveLength(2);
  });

  it('never merges entities of two categories, and gives them distinct names', () => {
    expect(names(entity('Mercury', 'place'), entity('Mercury', 'product'), entity('Mercury', 'place'))).toEqual([
      'Mercury',
      'Mercury (product)',
    ]);
  });

  it('merges an entity without a category only with a single candidate', () => {
    expect(merged(entity('Oslo'), entity('Oslo', 'place'))).toHaveLength(1);
    expect(merged(entity('Jordan'), entity('Jordan', 'place'), entity('Jordan', 'person'))).toHaveLength(3);
  });

  it('resolves initials only when a single person matches', () => {
    expect(names(entity('J. Smith', 'person'), entity('John Smith', 'person'))).toEqual(['John Smith']);
    expect(
      names(entity('J. Smith', 'person'), entity('John Smith', 'person'), entity('Jane Smith', 'person')),
    ).toHaveLength(3);
  });

  it('applies an acronym declared in one document to all', () => {
    const declared = entity('European Union', 'organization', { metadata: { aliases: ['EU'] } });
    expect(names(declared, entity('EU'))).toEqual(['European Union']);
    const rival = entity('Energy Unit', 'organization', { metadata: { aliases: ['EU'] } });
    expect(names(declared, rival, entity('EU'))).toHaveLength(3);
  });

  it('does not resolve a bare last name across documents', () => {
    const person = entity('Marie Curie', 'person', { metadata: { aliases: ['Curie'] } });
    expect(merged(person, entity('Curie'))).toHaveLength(2);
  });

  it('uses the most frequent spelling', () => {
    expect(names(entity('ACME'), entity('Acme'), entity('Acme'))).toEqual(['Acme']);
  });

  it('joins relationships of merged entities, with all mentions, and increases their weight sublinearly', () => {
    const documents = Array.from({ length: 8 }, (_, place) =>
      graph(
        [entity(place % 2 ? 'Acme Inc.' : 'Acme', 'organization'), entity('Oslo', 'place')],
        [relationship(place % 2 ? 'Acme Inc.' : 'Acme', 'located_in', 'Oslo')],
      ),
    );
    const { relationships } = mergeGraphs(documents);
    expect(relationships).toHaveLength(1);
    expect(relationships[0]).toMatchObject({ object: 'Oslo', weight: 4 });
    expect(relationships[0]?.mentions).toHaveLength(8);
  });

  it('yields unique names and valid relationships, and is idempotent', () => {
    const words = fc.constantFrom(
      'Acme',
      'acme',
      'Acme Inc.',
      'J. Roe',
      'Jane Roe',
      'John Roe',
      'EU',
      'Oslo',
      'oslo',
      'Roe',
    );
    const category = fc.constantFrom(null, 'person', 'place', 'organization');
    const made = fc
      .tuple(words, category, fc.option(words))
      .map(([name, kind, alias]) => entity(name, kind, { metadata: alias ? { aliases: [alias] } : {} }));
    const graphs = fc.array(
      fc.uniqueArray(made, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }).map((entities) => {
        const [first, second = first] = entities;
        return graph(entities, [relationship(first?.name ?? '', 'knows', second?.name ?? '')]);
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(graphs, (all) => {
        const once = mergeGraphs(all);
        const unique = new Set(once.entities.map(({ name }) => name));
        expect(unique.size).toBe(once.entities.length);
        for (const { subject, object } of once.relationships)
          expect([unique.has(subject), unique.has(object)]).toEqual([true, true]);
        const count = (of: ExtractedGraph) =>
          new Set(of.entities.flatMap(({ mentions }) => mentions.map(({ chunkId }) => chunkId))).size;
        expect(count(once)).toBe(
          new Set(
            all.flatMap(({ entities }) => entities.flatMap(({ mentions }) => mentions.map(({ chunkId }) => chunkId))),
          ).size,
        );
        expect(mergeGraphs(all)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });
});
