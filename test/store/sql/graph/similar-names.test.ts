import { expect, it } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import { createGraphSearch } from '../../../../src/store/sql/graph/create-graph-search.ts';
import { capitalisedWords } from '../../../support/capitalised-words.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument, type TestStore, testSpace } from '../../../support/store.ts';

/** More names than are compared exactly. */
const COUNT = 640;
const DIGITS = 'abcdefghij';

/** Letters only, since extraction takes no digits. */
const nameOf = (number: number): string =>
  `N${[...String(number).padStart(4, '0')].map((digit) => DIGITS.charAt(Number(digit))).join('')}`;

/** Different numbers have different directions on a half circle. */
const vectorOf = (number: number): Float32Array => {
  const angle = (Math.PI * number) / COUNT;
  return Float32Array.of(Math.cos(angle), Math.sin(angle), 0, 0);
};

async function addNames(store: TestStore, title: string, numbers: readonly number[]): Promise<void> {
  await ingest(store, newDocument(title), [newChunk(0, numbers.map((number) => `${nameOf(number)}.`).join(' '))]);
  const task = await store.documentGraphs.next();
  if (task) await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
  const names = await store.graphNames.unembeddedNames(testSpace, COUNT);
  const numberOf = new Map(numbers.map((number) => [nameOf(number), number]));
  const vectors = names.map(({ key, name }) => ({ key, vector: vectorOf(numberOf.get(name) ?? Number.NaN) }));
  await store.graphNames.keepVectors(testSpace, vectors);
}

describeEngines('Names with similar vectors', ({ openTestStore }) => {
  it('are found among many, also when names are added and removed between searches', async () => {
    const store = await openTestStore();
    const even = Array.from({ length: COUNT / 2 }, (_, half) => 2 * half);
    await addNames(store, 'even', even);
    await addNames(
      store,
      'most odd',
      even.slice(10).map((number) => number + 1),
    );
    const { search } = createGraphSearch(store.sqlite);
    const limits = { entities: 1, relationships: 0, communities: 0 };
    const nearest = async (number: number, filter: Filter = everything) => {
      const { entities } = await search({ text: 'unknown', vector: vectorOf(number), filter, limits });
      return entities.map(({ found }) => found.kind === 'entity' && found.name);
    };
    for (const number of [300, 301, 22, 639]) expect(await nearest(number)).toEqual([nameOf(number)]);
    expect(await nearest(5)).not.toEqual([nameOf(5)]);

    await addNames(store, 'other odd', [5, 7]);
    expect(await nearest(5)).toEqual([nameOf(5)]);
    const titled = (value: string): Filter => ({ kind: 'compare', field: 'title', op: 'eq', value });
    expect(await nearest(301, titled('other odd'))).toEqual([]);
    expect(await nearest(11, titled('other odd'))).toEqual([nameOf(7)]);

    await store.corpus.remove(titled('most odd'));
    expect([nameOf(300), nameOf(302)]).toContain((await nearest(301))[0]);
    expect(await nearest(7)).toEqual([nameOf(7)]);
  });
});
