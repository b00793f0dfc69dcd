import { beforeEach, expect, it } from 'vitest';
import type { Principal } from '../../../../src/access/principal.ts';
import { visibleFilter } from '../../../../src/access/visible-filter.ts';
import { allOf, everything, type Filter } from '../../../../src/documents/filter.ts';
import { graphHitText } from '../../../../src/documents/graph-hit.ts';
import type { GraphSearch } from '../../../../src/store/graph-search.ts';
import { createGraphSearch } from '../../../../src/store/sql/graph/create-graph-search.ts';
import { capitalisedWords } from '../../../support/capitalised-words.ts';
import { describeEngines, type Engine } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument } from '../../../support/store.ts';

const page = { offset: 0, limit: 1000 };
const limits = { entities: 10, relationships: 10, communities: 10 };
const shared = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const principal = (userId: string, ...collectionIds: string[]): Principal => ({
  userId,
  email: `${userId}@example.org`,
  isSuperuser: false,
  collectionIds,
});
const ann = principal('ann', shared);
const bob = principal('bob', shared);
const eve = principal('eve', other);

async function openGraph(engine: Engine): Promise<GraphSearch> {
  const store = await engine.openTestStore();
  await store.collections.ensure({ id: shared, ownerId: 'ann', name: 'Shared' });
  await store.collections.ensure({ id: other, ownerId: 'eve', name: 'Other' });
  const add = (name: string, ownerId: string, collectionId: string, ...texts: string[]) =>
    ingest(
      store,
      newDocument(name, { ownerId, collectionIds: [collectionId], metadata: { kind: name } }),
      texts.map((text, order) => newChunk(order, text)),
    );
  await add('public', 'ann', shared, 'Paris lies on the Seine river.', 'Rouen also lies on the Seine.');
  await add('secret', 'eve', other, 'Paris hides Eves Treasure under the Seine.');
  for (;;) {
    const task = await store.documentGraphs.next();
    if (task === undefined) break;
    await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
  }
  for (const id of [shared, other]) {
    await store.graphs.pull(id, { force: false });
    const { items } = await store.graphs.entities({ kind: 'collection', id }, page);
    const about = id === shared ? 'Cities by the Seine' : 'Where the Treasure of Paris is';
    await store.graphs.replaceBuilt(id, [
      {
        name: about,
        summary: `${about}, with all the Seine has.`,
        findings: [],
        rating: 5,
        ratingExplanation: '',
        level: 0,
        attributes: {},
        memberIds: items.map((each) => each.id),
      },
    ]);
  }
  await store.graphs.createEntity(other, { name: 'Seine Map', description: 'Eves own map of the Seine.' });
  return createGraphSearch(store.sqlite);
}

let graph: GraphSearch;
const find = (text: string, filter: Filter = everything) => graph.search({ text, vector: null, filter, limits });
const textsOf = async (text: string, filter?: Filter) => {
  const { entities, relationships, communities } = await find(text, filter);
  return [...entities, ...relationships, ...communities].map(graphHitText).join('\n');
};

describeEngines('Search in the graph', (engine) => {
  beforeEach(async () => {
    graph = await openGraph(engine);
  });

  it('finds entities by name, their relationships, and communities, with their sources', async () => {
    const { entities, relationships, communities } = await find('Where does the Seine flow?', visibleFilter(bob));
    expect(entities[0]).toMatchObject({ found: { kind: 'entity', name: 'Seine' }, documents: [{ title: 'public' }] });
    expect(entities[0]?.chunkIds).toHaveLength(2);
    expect(entities.map(({ found }) => found.kind === 'entity' && found.name)).toContain('Paris');
    expect(
      relationships.map(({ found }) => found.kind === 'relationship' && `${found.subject}-${found.object}`),
    ).toEqual(expect.arrayContaining(['Paris-Seine', 'Rouen-Seine']));
    expect(communities).toMatchObject([{ found: { name: 'Cities by the Seine', collectionId: shared } }]);
    for (const { score } of [...entities, ...relationships, ...communities]) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it('shows nothing that only documents of others contain', async () => {
    for (const who of [ann, bob]) {
      const texts = await textsOf('Treasure of Paris, Seine and Eves Map', visibleFilter(who));
      expect(texts).toContain('Paris');
      expect(texts).not.toMatch(/Treasure|Eves|hides|Map/);
    }
    const texts = await textsOf('Treasure of Paris, Seine and Eves Map', visibleFilter(eve));
    expect(texts).toMatch(/Treasure/);
    expect(texts).toMatch(/own map/);
    expect(texts).not.toMatch(/Rouen|river|Cities/);
  });

  it('applies the filter of the request as well', async () => {
    const onlySecret: Filter = { kind: 'compare', field: 'metadata.kind', op: 'eq', value: 'secret' };
    const texts = await textsOf('Paris Seine', onlySecret);
    expect(texts).toMatch(/Treasure/);
    // Manual rows belong to no document, so a filter on documents excludes them.
    expect(texts).not.toMatch(/own map|Rouen|river/);
    expect(await textsOf('Paris Seine', allOf(visibleFilter(bob), onlySecret))).toBe('');
    expect(await textsOf('Paris Seine', { kind: 'none' })).toBe('');
  });

  it('answers a query of 60,000 words, and a short one beside it', async () => {
    const words = Array.from({ length: 60_000 }, (_, index) => `word${index}`);
    const [long, alsoLong, short] = await Promise.all([
      find(`Seine ${words.join(' ')}`),
      find(`Rouen ${words.reverse().join(' ')}`),
      find('Where does the Seine flow?'),
    ]);
    expect(long.communities).toMatchObject([{ found: { name: 'Cities by the Seine' } }, {}]);
    expect(alsoLong.entities[0]).toMatchObject({ found: { name: 'Rouen' } });
    expect(short.entities[0]).toMatchObject({ found: { name: 'Seine' } });
  });

  it('finds nothing for unknown words and for punctuation', async () => {
    expect(await textsOf('quantum chromodynamics')).toBe('');
    expect(await textsOf('"*" OR (NEAR) -')).toBe('');
  });
});
