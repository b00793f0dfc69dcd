import { expect, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import type { GraphHit } from '../../../../src/documents/graph-hit.ts';
import type { Entity } from '../../../../src/graph/graph.ts';
import { MAX_TERMS } from '../../../../src/store/sql/full-text/choose-terms.ts';
import { createGraphSearch } from '../../../../src/store/sql/graph/create-graph-search.ts';
import { describeEngines, type Engine } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument } from '../../../support/store.ts';

const COLLECTION = '11111111-1111-4111-8111-111111111111';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const RARE = Array.from({ length: MAX_TERMS + 20 }, (_, place) => {
  const [first, second] = [LETTERS[Math.floor(place / 26)], LETTERS[place % 26]];
  return `b${first}${second}k`;
});
const FREQUENT = 'zork';

/** A graph in which each of many words is in one name and one community, and one word in two of both. */
async function openGraph(engine: Engine) {
  const store = await engine.openTestStore();
  await store.collections.ensure({ id: COLLECTION, ownerId: 'ann', name: 'All' });
  await ingest(store, newDocument('d', { ownerId: 'ann', collectionIds: [COLLECTION] }), [newChunk(0, 'A chunk.')]);
  const task = await store.documentGraphs.next();
  const chunkId = task?.chunks[0]?.chunkId ?? '';
  if (task === undefined) throw new Error('There is nothing to extract from.');
  // The last words first, so that which names are found shows which words were searched for.
  const names = [`${FREQUENT} one`, `${FREQUENT} two`, ...RARE.toReversed()];
  const entities = names.map((name): Entity => {
    const mentions = [{ chunkId, start: 0, end: 1 }];
    return { name, category: 'thing', description: name, metadata: {}, mentions };
  });
  await store.documentGraphs.save(task, 'test', { entities, relationships: [] });
  await store.graphs.pull(COLLECTION, { force: false });
  const page = { offset: 0, limit: 1_000 };
  const { items } = await store.graphs.entities({ kind: 'collection', id: COLLECTION }, page);
  const about = { findings: [], rating: 5, ratingExplanation: '', level: 0, attributes: {} };
  const memberIds = items.map(({ id }) => id);
  await store.graphs.replaceBuilt(COLLECTION, [
    { ...about, name: 'Rare', summary: `${RARE.join(' ')} ${FREQUENT}`, memberIds },
    { ...about, name: 'Frequent', summary: FREQUENT, memberIds },
  ]);
  const limits = { entities: 1_000, relationships: 0, communities: 10 };
  const search = createGraphSearch(store.sqlite);
  return (text: string) => search.search({ text, vector: null, filter: everything, limits });
}

describeEngines('A long query', (engine) => {
  it('searches the graph for the rarest words of a long query, within a budget', async () => {
    const find = await openGraph(engine);
    const short = await find(`${FREQUENT} ${RARE.at(-1)}`);
    expect(namesOf(short.communities)).toEqual(['Frequent', 'Rare']);
    expect(namesOf(short.entities)).toEqual([RARE.at(-1), `${FREQUENT} one`, `${FREQUENT} two`]);
    const long = await find(`${FREQUENT} ${RARE.join(' ')}`);
    expect(namesOf(long.communities)).toEqual(['Rare']);
    expect(long.entities.length).toBeGreaterThan(0);
    const searched = new Set(RARE.slice(0, MAX_TERMS));
    expect(namesOf(long.entities).filter((name) => !searched.has(name))).toEqual([]);
  });

  const namesOf = (hits: readonly GraphHit[]): string[] =>
    hits.flatMap(({ found }) => ('name' in found ? [found.name] : [])).toSorted();
});
