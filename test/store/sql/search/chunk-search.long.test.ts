import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Chunk } from '../../../../src/documents/chunk.ts';
import { everything, type Filter, isDocument } from '../../../../src/documents/filter.ts';
import type { ChunkSearch, DistanceMeasure } from '../../../../src/store/chunk-search.ts';
import { distanceFrom } from '../../../../src/store/distance.ts';
import { openCollections } from '../../../../src/store/sql/index-sync/open-collections.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import { createDirectReader } from '../../../../src/store/sql/sqlite/direct-reader.ts';
import { describeVectorEngines } from '../../../support/engines.ts';
import {
  direction,
  ingest,
  newChunk,
  newChunks,
  newDocument,
  publication,
  type TestStore,
  testSpace,
} from '../../../support/store.ts';

describeVectorEngines('The search', ({ name, openTestStore }) => {
  function searchOf(store: TestStore): ChunkSearch {
    const { sqlite, index, maintenance } = store;
    return createChunkSearch({ search: sqlite.search, collections: openCollections(index), state: maintenance.state });
  }

  const inStep = async (store: TestStore) => {
    await store.maintenance.audit();
    expect(store.maintenance.state().kind).toBe('in_step');
  };

  const equals = (field: string, value: string | number): Filter => ({ kind: 'compare', field, op: 'eq', value });
  const asked = { measure: 'cosine_distance', filter: everything, limit: 10 } as const;
  const orders = (chunks: readonly { readonly order: number }[]) => chunks.map(({ order }) => order);

  /** Vectors in all directions, so that most chunks are far from any query. */
  const spread = (count: number) =>
    Array.from({ length: count }, (_, order) =>
      newChunk(order, `passage ${order}`, {
        vector: turned(order / count),
        metadata: { side: order < count / 2 ? 'near' : 'far' },
      }),
    );
  const turned = (share: number) => Float32Array.of(Math.cos(share * Math.PI), Math.sin(share * Math.PI), 0, 0);

  it('finds, with a selective filter on metadata, exactly the passages of the documents that pass', async () => {
    const store = await openTestStore();
    const begun = 'x'.repeat(70);
    for (let number = 0; number < 40; number++) {
      const tags = number === 3 ? ['7'] : [];
      const metadata = { number: number === 3 ? [7] : number, name: `${begun}${number}`, tags };
      await ingest(store, newDocument(`document ${number}`, { metadata }), [newChunk(0, `words of ${number}`)]);
    }
    const search = searchOf(store);
    const found = async (filter: Filter) => {
      const hits = await search.matching({ text: 'words', filter, limit: 100 });
      return hits.map(({ text }) => text).sort();
    };
    const compare = (name: string, op: 'eq' | 'gte' | 'lt', value: string | number): Filter => ({
      kind: 'compare',
      field: `metadata.${name}`,
      op,
      value,
    });
    expect(await found(compare('number', 'eq', 7))).toEqual(['words of 7']);
    expect(await found(compare('name', 'eq', `${begun}12`))).toEqual(['words of 12']);
    expect(await found({ kind: 'overlap', field: 'metadata.tags', values: [7] })).toEqual(['words of 3']);
    const range = { kind: 'and', filters: [compare('number', 'gte', 10), compare('number', 'lt', 12)] } as const;
    expect(await found(range)).toEqual(['words of 10', 'words of 11']);
    await store.corpus.setMetadata(newDocument('document 11').id, { number: 20 }, 'merge');
    expect(await found(range)).toEqual(['words of 10']);
    await store.corpus.remove(isDocument(newDocument('document 10').id));
    expect(await found(range)).toEqual([]);
  });

  describe('the semantic leg', () => {
    it('finds the nearest chunks first, ties in order of insertion', async () => {
      const store = await openTestStore();
      const vector = direction(1);
      await ingest(store, newDocument('one'), [
        newChunk(0),
        newChunk(1, 'a', { vector }),
        newChunk(2, 'b', { vector }),
      ]);
      const found = await searchOf(store).nearest({ ...asked, vector });
      expect(orders(found)).toEqual([1, 2, 0]);
      expect(found[0]?.score).toBeCloseTo(1, 6);
      expect(found.map(({ semantic }) => semantic?.rank)).toEqual([1, 2, 3]);
      expect(found[0]?.metadata).toMatchObject({ title: 'one', chunk_order: 1, document_type: 'txt' });
    });

    it('reads chunks of another ranking with its own, if it needs no further query for them', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('many'), spread(50));
      await inStep(store);
      const search = searchOf(store);
      const others = (await search.ranking({ text: 'passage', filter: everything, limit: 50 })).slice(-3);
      const keys = others.map(({ key }) => key);
      let read: ReadonlyMap<number, Chunk> | undefined;
      const receive = (chunks: ReadonlyMap<number, Chunk>) => {
        read = chunks;
      };
      const query = { ...asked, vector: turned(0) };
      const found = await search.nearestRanking({ ...query, readAhead: { first: 2, others: () => keys, receive } });
      expect(found).toEqual(await search.nearestRanking(query));
      const wanted = [...new Set([...found.slice(0, 2).map(({ key }) => key), ...keys])];
      if (read !== undefined) expect(read).toEqual(await search.read(wanted));
      expect(read !== undefined).toBe(store.sqlite.search.singlePass !== undefined);
      read = undefined;
      await search.nearestRanking({ ...query, readAhead: { first: 2, others: () => undefined, receive } });
      expect(read).toBeUndefined();
    });

    it('reads chunks with the pages and sections they span, in every way', async () => {
      const store = await openTestStore();
      const text = 'Whales sing.\nOwls hunt.\nBees dance.';
      const pages = [
        { number: 1, start: 0, end: 13 },
        { number: 2, start: 13, end: 35 },
      ];
      const headings = [
        { start: 0, path: ['Sea'] },
        { start: 24, path: ['Air', 'Bees'] },
      ];
      for (const name of ['animals', 'more animals']) {
        const document = newDocument(name);
        const all = newChunk(0, text, { start: 0, end: 35, page: 1, headingPath: ['Sea'] });
        const part = newChunk(1, 'Owls hunt.', { start: 13, end: 23, page: 2, headingPath: ['Sea'] });
        await store.corpus.begin(document);
        await store.corpus.stage(document.id, [all, part]);
        await store.corpus.publish(document.id, publication(text, { pages, headings }));
      }
      await inStep(store);
      const search = searchOf(store);
      const ranked = await search.ranking({ text: 'owls', filter: everything, limit: 10 });
      const read = await search.read(ranked.map(({ key }) => key));
      const byId = await store.corpus.chunksById([...read.values()].map(({ id }) => id));
      const places = [
        { start: 0, page: 1, headingPath: ['Sea'] },
        { start: 13, page: 2, headingPath: ['Sea'] },
        { start: 24, page: 2, headingPath: ['Air', 'Bees'] },
      ];
      for (const found of [
        await search.matching({ text: 'owls', filter: everything, limit: 10 }),
        await search.nearest({ ...asked, vector: direction(0) }),
        [...read.values()],
        byId,
      ]) {
        const sorted = [...found].sort((one, two) => one.order - two.order);
        expect(sorted.map((chunk) => chunk.places)).toEqual([places, places, undefined, undefined]);
      }
    });

    it.each([2, 500])('knows %i sections of a document again after a change of its text', async (count) => {
      const store = await openTestStore();
      const document = newDocument('animals');
      const text = 'Whales sing.\nOwls hunt.\nBees dance.';
      const headings = [
        { start: 0, path: ['Sea'] },
        { start: 24, path: ['Bees'] },
        ...Array.from({ length: count - 2 }, (_, number) => ({ start: 35 + number, path: [`Section ${number}`] })),
      ];
      await store.corpus.begin(document);
      await store.corpus.stage(document.id, [
        newChunk(0, 'Whales sing.', { start: 0, end: 12, headingPath: ['Sea'] }),
        newChunk(1, 'Owls hunt.\nBees dance.', { start: 13, end: 35, headingPath: ['Sea'] }),
      ]);
      await store.corpus.publish(document.id, publication(text, { headings }));
      const search = searchOf(store);
      const sections = async () => {
        const [found] = await search.matching({ text: 'owls', filter: everything, limit: 10 });
        return found?.places?.map(({ start, headingPath }) => [start, ...headingPath]);
      };
      expect(await sections()).toEqual([
        [13, 'Sea'],
        [24, 'Bees'],
      ]);
      const [whales] = await search.matching({ text: 'whales', filter: everything, limit: 10 });
      await store.corpus.editChunk(whales?.id ?? '', {
        words: { text: 'Whales sing loud.', vector: direction(0), embeddedIn: testSpace },
      });
      expect(await sections()).toEqual([
        [18, 'Sea'],
        [29, 'Bees'],
      ]);
    });

    it('finds nothing in an empty corpus', async () => {
      const store = await openTestStore();
      expect(await searchOf(store).nearest({ ...asked, vector: direction(0) })).toEqual([]);
    });

    it('returns neither staged nor replaced chunks', async () => {
      const store = await openTestStore();
      const search = searchOf(store);
      const document = newDocument('one');
      await store.corpus.begin(document);
      await store.corpus.stage(document.id, newChunks(3));
      expect(await search.nearest({ ...asked, vector: direction(0) })).toEqual([]);
      expect(await search.matching({ text: 'passage', filter: everything, limit: 10 })).toEqual([]);
      await store.corpus.publish(document.id, publication('text'));
      expect(await search.nearest({ ...asked, vector: direction(0) })).toHaveLength(3);

      await store.corpus.begin(document, { replace: true });
      await store.corpus.stage(document.id, [newChunk(0, 'a fresh sentence')]);
      expect(await search.matching({ text: 'passage', filter: everything, limit: 10 })).toHaveLength(3);
      await store.corpus.publish(document.id, publication('text'));
      expect((await search.nearest({ ...asked, vector: direction(0) })).map(({ text }) => text)).toEqual([
        'a fresh sentence',
      ]);
      expect(await search.matching({ text: 'passage', filter: everything, limit: 10 })).toEqual([]);
    });

    it('applies a filter before the limit, whatever the filter and the limit', async () => {
      const store = await openTestStore();
      for (const number of [0, 1, 2, 3]) {
        const chunks = Array.from({ length: 5 }, (_, order) =>
          newChunk(order, `word${order}`, {
            vector: direction(number * 5 + order),
            metadata: order === 4 ? { year: 9 } : {},
          }),
        );
        await ingest(store, newDocument(`d${number}`, { metadata: { year: number, even: number % 2 === 0 } }), chunks);
      }
      const search = searchOf(store);
      const all = await search.nearest({ ...asked, vector: direction(3), limit: 100 });
      expect(all).toHaveLength(20);
      const filters: fc.Arbitrary<Filter> = fc.oneof(
        fc.constantFrom(0, 1, 2, 3, 9, 77).map((year) => equals('year', year)),
        fc.nat(5).map((order): Filter => ({ kind: 'compare', field: 'chunk_order', op: 'lt', value: order })),
        fc.constant<Filter>({ kind: 'compare', field: 'even', op: 'eq', value: true }),
        fc.constantFrom('d0', 'd1', 'other').map((title) => equals('title', title)),
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 25 }), async (filter, limit) => {
          const found = await search.nearest({ ...asked, vector: direction(3), filter, limit });
          const expected = all.filter(({ metadata }) => holds(filter, metadata)).slice(0, limit);
          expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        }),
        { numRuns: 60 },
      );
    });

    it('expects the plan of the previous search, and notices when it differs', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(6_000));
      await ingest(store, newDocument('extra'), [
        newChunk(0, 'extra', { vector: turned(0.0001), metadata: { side: 'near' } }),
      ]);
      await inStep(store);
      const search = searchOf(store);
      const filters = [everything, equals('side', 'near'), equals('side', 'none')];
      const find = (by: ChunkSearch) =>
        Promise.all(
          filters.map(async (filter) => {
            const query = { ...asked, vector: turned(0), filter };
            const hits = await by.nearest(query);
            const ranking = await by.nearestRanking(query);
            expect(ranking).toEqual(hits.map(({ key, score, semantic }) => ({ key, score, rank: semantic?.rank })));
            return hits;
          }),
        );
      const expectSame = async () => {
        const found = await find(search);
        expect(found).toEqual(await find(searchOf(store)));
        return found;
      };
      const [all, near, none] = await expectSame();
      expect([all?.length, near?.length, none?.length]).toEqual([10, 10, 0]);
      expect(await expectSame()).toEqual([all, near, none]);

      await store.corpus.remove(equals('title', 'extra'));
      const [without] = await expectSame();
      expect(without?.map(({ text }) => text)).not.toContain('extra');
      await ingest(store, newDocument('again'), [
        newChunk(0, 'again', { vector: turned(0), metadata: { side: 'none' } }),
      ]);
      const after = await expectSame();
      expect(after.map((hits) => hits.some(({ text }) => text === 'again'))).toEqual([true, false, true]);
    });

    it('needs one call to the records, and then none, for a search like one before', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(3_000));
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      const { singlePass } = sqlite.search;
      if (singlePass === undefined) return;
      const called: string[] = [];
      // No read is slow for this one, however busy the machine is.
      const direct = createDirectReader({ path: store.path, now: () => 0 });
      onTestFinished(() => direct.close());
      const counted = {
        ...sqlite.search,
        direct,
        call: ((...task) => {
          called.push(task[0]);
          return sqlite.search.call(...task);
        }) as typeof sqlite.search.call,
        singlePass: {
          nearest: (...query: Parameters<typeof singlePass.nearest>) => {
            called.push('at once');
            return singlePass.nearest(...query);
          },
          rank: singlePass.rank,
        },
      };
      const search = createChunkSearch({
        search: counted,
        collections: openCollections(index),
        state: maintenance.state,
      });
      const first = await search.nearest({ ...asked, vector: turned(0.3) });
      expect(called).toEqual(['at once', 'nearestAmong']);
      const calls = async (filter = everything) => {
        called.length = 0;
        const hits = await search.nearest({ ...asked, vector: turned(0.3), filter });
        return { hits, called: [...called] };
      };
      expect(await calls()).toEqual({ hits: first, called: ['at once'] });
      expect(await calls()).toEqual({ hits: first, called: [] });
      const half = equals('side', 'near');
      await calls(half);
      expect((await calls(half)).called).toEqual(['at once']);

      await store.corpus.setMetadata(newDocument('wide').id, { number: 20 }, 'merge');
      const changed = await calls();
      expect(changed.called).toEqual(['at once']);
      expect(changed.hits.map(({ metadata }) => metadata['number'])).toEqual(first.map(() => 20));
      expect(await calls()).toEqual({ hits: changed.hits, called: [] });

      await ingest(store, newDocument('more'), [newChunk(0, 'nearest', { vector: turned(0.3) })]);
      const added = await calls();
      expect(added.called).toContain('at once');
      expect(added.hits.map(({ text }) => text)).toContain('nearest');
    });

    it('requests only the hits it needs from an index that ranks them alike for any limit', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(4_200));
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      if (sqlite.search.singlePass === undefined) return;
      const searchWith = (candidates: number) => {
        const requested: number[] = [];
        const collections = openCollections({
          ...index,
          async open(name, dimensions) {
            const collection = await index.open(name, dimensions);
            const nearest = (vector: Float32Array, limit: number) => {
              requested.push(limit);
              return collection.nearest(vector, limit);
            };
            return { ...collection, candidates, nearest };
          },
        });
        const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
        const find = async (limit: number, filter = everything) =>
          orders(await search.nearest({ ...asked, vector: turned(0.3), limit, filter }));
        return { find, requested };
      };
      const [few, many] = [searchWith(60), searchWith(100)];
      const half = equals('side', 'near');
      // The first search with a filter learns how many chunks pass.
      for (const search of [few, many]) for (const filter of [everything, half]) await search.find(10, filter);
      few.requested.length = 0;
      many.requested.length = 0;
      const expected = await few.find(60);
      expect(await few.find(10)).toEqual(expected.slice(0, 10));
      expect(await many.find(10)).toEqual(expected.slice(0, 10));
      expect(await many.find(50)).toEqual(expected.slice(0, 50));
      await many.find(10, half);
      expect(few.requested).toEqual([73, 510, 73]);
      expect(many.requested).toEqual([23, 73, 135]);
    });

    it('ranks copies of a text alike for any limit', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      const copies = Array.from({ length: 40 }, (_, order) =>
        newChunk(order, `copy ${order}`, { vector: turned(0.3) }),
      );
      await ingest(store, newDocument('copies'), copies);
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      const collections = openCollections({
        ...index,
        async open(name, dimensions) {
          const collection = await index.open(name, dimensions);
          // Other copies come first for other limits.
          const nearest = async (vector: Float32Array, limit: number) =>
            (await collection.nearest(vector, limit + 60))
              .map((hit) => ({ ...hit, turn: (hit.key * limit) % 41 }))
              .sort((one, two) => one.distance - two.distance || one.turn - two.turn)
              .slice(0, limit);
          return { ...collection, candidates: 100, nearest };
        },
      });
      const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
      const find = async (limit: number) => {
        const found = await search.nearest({ ...asked, vector: turned(0.3), limit });
        return found.map(({ text }) => text);
      };
      await find(10);
      const expected = await find(50);
      expect(expected.filter((text) => text.startsWith('copy'))).toHaveLength(40);
      for (const limit of [10, 20, 30]) expect(await find(limit), `limit ${limit}`).toEqual(expected.slice(0, limit));
    });

    it('finds the nearest chunks when the index returns nothing but copies of a distant one', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      const vector = turned(0.9);
      await ingest(
        store,
        newDocument('copies'),
        Array.from({ length: 1_000 }, (_, order) => newChunk(order, `copy ${order}`, { vector })),
      );
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      if (sqlite.search.singlePass === undefined) return;
      const collections = openCollections({
        ...index,
        async open(name, dimensions) {
          const collection = await index.open(name, dimensions);
          const nearest = async (query: Float32Array, limit: number) =>
            (await collection.nearest(vector, 1_000))
              .slice(0, limit)
              .map(({ key }) => ({ key, distance: distanceFrom('cosine_distance', query)(vector) }));
          return { ...collection, candidates: 100, nearest };
        },
      });
      const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
      for (const limit of [10, 10, 30]) {
        const found = await search.nearest({ ...asked, vector: turned(0.3), limit });
        expect(found[0]?.text, `limit ${limit}`).toBe('passage 750');
        expect(found.filter(({ text }) => text.startsWith('copy'))).toEqual([]);
      }
    });

    it('queries the index repeatedly until a filter that matches only distant chunks is satisfied', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(6_000));
      await inStep(store);
      const search = searchOf(store);
      const filter = equals('side', 'far');
      const found = await search.nearest({ ...asked, vector: turned(0), filter });
      expect(orders(found)).toEqual(Array.from({ length: 10 }, (_, index) => 3_000 + index));
      const wide = await search.nearest({ ...asked, vector: turned(0), limit: 1_000 });
      expect(orders(wide)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    });

    it('returns every chunk over all pages, although the index lists differ by limit', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      const collections = openCollections({
        ...index,
        async open(name, dimensions) {
          const collection = await index.open(name, dimensions);
          const nearest = async (vector: Float32Array, limit: number) =>
            (await collection.nearest(vector, limit + 20))
              .filter(({ key }) => (key * limit) % 29 !== 1)
              .slice(0, limit);
          return { ...collection, nearest };
        },
      });
      const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
      const seen: number[] = [];
      const PAGE = 125;
      for (let offset = 0; offset < 2_500; offset += PAGE) {
        const found = await search.nearest({ ...asked, vector: turned(0.3), limit: offset + PAGE });
        expect(found.at(-1)?.semantic?.rank).toBe(offset + PAGE);
        seen.push(...orders(found.slice(offset)));
      }
      expect(new Set(seen).size).toBe(2_500);
    });

    it('searches the stored vectors, and says so, while the index is down', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      store.index.simulateOutage();
      const notes: string[] = [];
      const note = (text: string) => notes.push(text);
      const found = await searchOf(store).nearest({ ...asked, vector: turned(1), note });
      expect(orders(found).slice(0, 3)).toEqual([2_499, 2_498, 2_497]);
      expect(notes.join()).toMatch(/did not answer; the stored vectors were (?:searched|compared one by one)/);
    });

    it('loads no more chunks than it returns, also while the index is down', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      const loaded: number[] = [];
      const call: typeof store.sqlite.search.call = async (...task) => {
        const answer = await store.sqlite.search.call(...task);
        if (answer !== null && 'chunks' in answer) loaded.push(answer.chunks.size);
        return answer;
      };
      const parts = { collections: openCollections(store.index), state: store.maintenance.state };
      const search = createChunkSearch({ ...parts, search: { dialect: store.sqlite.search.dialect, call } });
      for (const isDown of [false, true]) {
        if (isDown) store.index.simulateOutage();
        const found = await search.nearest({ ...asked, vector: turned(1) });
        const ranking = await search.nearestRanking({ ...asked, vector: turned(1) });
        expect(ranking).toEqual(found.map(({ key, score }, index) => ({ key, score, rank: index + 1 })));
      }
      expect(loaded.toSorted((one, two) => one - two)).toEqual([0, 0, 10, 10]);
    });

    it('queries an index only once that has gone down since the last search', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      const { sqlite, index, maintenance } = store;
      let asks = 0;
      const collections = openCollections({
        ...index,
        async open(name, dimensions) {
          const collection = await index.open(name, dimensions);
          const nearest: typeof collection.nearest = (...query) => {
            asks += 1;
            return collection.nearest(...query);
          };
          return { ...collection, nearest };
        },
      });
      const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
      const before = await search.nearest({ ...asked, vector: turned(1) });
      index.simulateOutage();
      asks = 0;
      const notes: string[] = [];
      const found = await search.nearest({ ...asked, vector: turned(1), note: (text) => notes.push(text) });
      expect(orders(found)).toEqual(orders(before));
      // An index in the database is left to the database.
      if (sqlite.search.nearestIndexed === undefined) expect(notes.join()).toMatch(/did not answer/);
      expect(asks).toBeLessThanOrEqual(1);
    });

    it('finds chunks that the index has lost', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      const space = await store.spaces.current();
      const collection = await store.index.open(space?.collection ?? '', 4);
      await collection.remove(await collection.keys({ offset: 0, limit: 2_495 }));
      expect(orders(await searchOf(store).nearest({ ...asked, vector: turned(0) }))).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ]);
    });

    it('includes chunks that are not indexed yet', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('wide'), spread(2_500));
      await inStep(store);
      const [last] = await store.sqlite.reader
        .selectFrom('chunks')
        .select('key')
        .where('ordinal', '=', 2_499)
        .execute();
      const key = last?.key ?? 0;
      const space = await store.sqlite.reader.selectFrom('vector_spaces').selectAll().executeTakeFirstOrThrow();
      await (await store.index.open(space.collection, 4)).remove([key]);
      const pending = {
        kind: 'upsert',
        space_key: space.key,
        payload: JSON.stringify([[key, key]]),
        created_at: '',
      } as const;
      await store.sqlite.writer.insertInto('outbox').values(pending).execute();
      const found = await searchOf(store).nearest({ ...asked, vector: turned(1), limit: 3 });
      expect(orders(found)).toEqual([2_499, 2_498, 2_497]);
    });

    it('refuses a vector of another length and names the space', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('one'), newChunks(1));
      const searching = searchOf(store).nearest({ ...asked, vector: Float32Array.of(1, 0) });
      await expect(searching).rejects.toMatchObject({
        code: 'embedding_mismatch',
        message: expect.stringMatching(/test\/angles.*reindex/),
      });
    });

    const measures: readonly DistanceMeasure[] = [
      ...(['cosine_distance', 'l2_distance', 'max_inner_product'] as const),
      ...(['l1_distance', 'hamming_distance', 'jaccard_distance'] as const),
    ];
    it.each(measures)('equals an exhaustive comparison under %s', async (measure) => {
      const store = await openTestStore();
      const vectors = Array.from({ length: 30 }, (_, order) =>
        Float32Array.of(Math.sin(order * 7), Math.cos(order * 3), Math.sin(order * 11), (order % 5) - 2),
      );
      await ingest(
        store,
        newDocument('one'),
        vectors.map((vector, order) => newChunk(order, 'text', { vector })),
      );
      const query = Float32Array.of(0.3, -0.5, 0.1, 0.8);
      const found = await searchOf(store).nearest({ ...asked, vector: query, measure, limit: 5 });
      const expected = vectors
        .map((vector, order) => ({ order, score: 1 - distanceFrom(measure, query)(vector) }))
        .sort((one, two) => two.score - one.score || one.order - two.order)
        .slice(0, 5);
      expect(orders(found)).toEqual(orders(expected));
      for (const [index, { score }] of expected.entries()) expect(found[index]?.score).toBeCloseTo(score, 5);
    });
  });

  describe.skipIf(name === 'PostgreSQL with pgvector')('the full-text leg', () => {
    const texts = ['red apple pie', 'green apple', 'apple apple apple tree', 'a red house', 'nothing of the kind'];
    const open = async () => {
      const store = await openTestStore();
      for (const [number, text] of texts.entries()) {
        await ingest(store, newDocument(`d${number}`, { title: '', metadata: { number } }), [newChunk(0, text)]);
      }
      return { store, search: searchOf(store) };
    };

    it('finds chunks with any of the words, best first, with scores in [0, 1)', async () => {
      const { search } = await open();
      const found = await search.matching({ text: 'red apples', filter: everything, limit: 10 });
      expect(found[0]?.text).toBe('red apple pie');
      expect(found).toHaveLength(4);
      expect(found.map(({ fullText }) => fullText?.rank)).toEqual([1, 2, 3, 4]);
      const scores = found.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, two) => two - one));
      for (const score of scores) expect(score > 0 && score < 1).toBe(true);
    });

    it('ranks without reading texts, and reads existing chunks by key', async () => {
      const { store, search } = await open();
      const query = { text: 'red apples', filter: everything, limit: 3 };
      const found = await search.matching(query);
      const ranked = await search.ranking(query);
      expect(ranked.map(({ rank, score }) => ({ rank, score }))).toEqual(found.map(({ fullText }) => fullText));
      const [first, second, third] = found;
      await store.corpus.remove(equals('document_id', second?.documentId ?? ''));
      const read = await search.read(ranked.map(({ key }) => key));
      expect([...read.values()].map(({ id }) => id).sort()).toEqual([first?.id, third?.id].sort());
      expect({ ...first, ...read.get(ranked[0]?.key ?? 0) }).toEqual(first);
    });

    it('sums BM25 as the formula says', async () => {
      const { search } = await open();
      const [first] = await search.matching({ text: 'tree', filter: everything, limit: 1 });
      const idf = Math.log(1 + (5 - 1 + 0.5) / (1 + 0.5));
      const length = 4;
      const average = (3 + 2 + 4 + 3 + 4) / 5;
      const sum = (idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * length) / average));
      expect(first?.score).toBeCloseTo(sum / (sum + 10), 10);
    });

    it('applies a filter before the limit', async () => {
      const { search } = await open();
      const found = await search.matching({ text: 'apple', filter: equals('number', 1), limit: 1 });
      expect(found.map(({ text }) => text)).toEqual(['green apple']);
    });

    it('finds nothing for unknown words', async () => {
      const { search } = await open();
      expect(await search.matching({ text: 'zebra', filter: everything, limit: 10 })).toEqual([]);
      expect(await search.matching({ text: '"*( OR NOT', filter: everything, limit: 10 })).toEqual([]);
    });

    it('searches for the parts of an identifier only when no matching chunk contains it whole', async () => {
      const store = await openTestStore();
      const texts = ['French philosophers. unique_philosopher', 'A Greek philosopher', 'uniquePhilosopher = 1'];
      for (const [number, text] of texts.entries()) {
        await ingest(store, newDocument(`d${number}`, { title: '', metadata: { number } }), [newChunk(0, text)]);
      }
      const ask = async (text: string, filter: Filter = everything) =>
        (await searchOf(store).matching({ text, filter, limit: 10 })).map((hit) => texts.indexOf(hit.text)).sort();
      expect(await ask('unique_philosopher')).toEqual([0, 2]);
      expect(await ask('unique_philosopher or a philosopher')).toEqual([0, 1, 2]);
      expect(await ask('unique_philosopher', equals('number', 1))).toEqual([1]);
      expect(await ask('greek_philosopher')).toEqual([0, 1, 2]);
    });

    it('weights the title higher than the text', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('plain', { title: 'Other' }), [newChunk(0, 'about whales and ships')]);
      await ingest(store, newDocument('titled', { title: 'Whales' }), [newChunk(0, 'about animals and ships')]);
      const found = await searchOf(store).matching({ text: 'whale', filter: everything, limit: 10 });
      expect(found.map(({ metadata }) => metadata['title'])).toEqual(['Whales', 'Other']);
    });

    it('sees changed metadata and removed documents at once', async () => {
      const { store, search } = await open();
      const filter = equals('number', 0);
      const ask = () => search.matching({ text: 'apple', filter, limit: 10 });
      expect(await ask()).toHaveLength(1);
      await store.corpus.setMetadata(newDocument('d1').id, { number: 0 }, 'merge');
      expect(await ask()).toHaveLength(2);
      await store.corpus.remove(equals('document_id', newDocument('d0').id));
      expect((await ask()).map(({ text }) => text)).toEqual(['green apple']);
    });

    it('lets a chunk’s own metadata win over its document’s', async () => {
      const store = await openTestStore();
      const document = newDocument('one', { metadata: { mood: 'grim' } });
      await ingest(store, document, [newChunk(0, 'word one'), newChunk(1, 'word two', { metadata: { mood: 'gay' } })]);
      const ask = (mood: string) => searchOf(store).matching({ text: 'word', filter: equals('mood', mood), limit: 10 });
      expect(orders(await ask('grim'))).toEqual([0]);
      expect(orders(await ask('gay'))).toEqual([1]);
    });

    it('finds a chunk by any word in any script', async () => {
      const store = await openTestStore();
      const letters = Array.from({ length: 0x30000 }, (_, point) =>
        point % 29 === 0 ? String.fromCodePoint(point) : '',
      )
        .filter((character) => /^[\p{L}\p{N}]$/u.test(character))
        .filter((_, order) => order % 25 === 0)
        .concat('\u037a', '\u01c5', 'ẞ', 'İ', 'ſ', 'ς');
      const chunks = letters.map((letter, order) => newChunk(order, `x${letter}y ${letter}`));
      await ingest(store, newDocument('letters', { title: '' }), chunks);
      const search = searchOf(store);
      const lost: string[] = [];
      for (const [order, letter] of letters.entries()) {
        const found = await search.matching({ text: `x${letter}y`, filter: everything, limit: 1_000 });
        if (!orders(found).includes(order)) lost.push(letter);
      }
      expect(lost).toEqual([]);
    });

    it('ranks many chunks as the reference formula does', async () => {
      const store = await openTestStore();
      const words = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox'];
      const chunks = Array.from({ length: 300 }, (_, number) =>
        Array.from({ length: 3 + (number % 7) }, (_, index) => words[(number * (index + 1) + index * index) % 6]).join(
          ' ',
        ),
      );
      await ingest(
        store,
        newDocument('one', { title: '' }),
        chunks.map((text, order) => newChunk(order, text)),
      );
      const found = await searchOf(store).matching({ text: 'bee fox dog', filter: everything, limit: 300 });
      const expected = bm25(chunks, ['bee', 'fox', 'dog']);
      expect(orders(found)).toEqual(expected.map(({ order }) => order));
    });
  });

  function bm25(chunks: readonly string[], terms: readonly string[]) {
    const split = chunks.map((text) => text.split(' '));
    const mean = split.reduce((sum, words) => sum + words.length, 0) / split.length;
    // Summed rarest first, because rounding would otherwise decide ties.
    const frequency = (term: string) => split.filter((words) => words.includes(term)).length;
    const ordered = terms.toSorted((one, two) => frequency(one) - frequency(two));
    return split
      .map((words, order) => {
        let score = 0;
        for (const term of ordered) {
          const count = words.filter((word) => word === term).length;
          if (count === 0) continue;
          const idf = Math.log(1 + (split.length - frequency(term) + 0.5) / (frequency(term) + 0.5));
          score += (idf * count * 2.2) / (count + 1.2 * (1 - 0.75 + (0.75 * words.length) / mean));
        }
        return { order, score };
      })
      .filter(({ score }) => score > 0)
      .sort((one, two) => two.score - one.score || one.order - two.order);
  }

  function holds(filter: Filter, metadata: Readonly<Record<string, unknown>>): boolean {
    if (filter.kind !== 'compare') return true;
    const value = metadata[filter.field];
    return filter.op === 'lt' ? Number(value) < Number(filter.value) : value === filter.value;
  }
});
