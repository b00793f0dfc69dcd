import { describe, expect, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import { verifyRemoval } from '../../../../src/store/sql/index-sync/verify-removal.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import { describeEngines } from '../../../support/engines.ts';
import { direction, ingest, newChunks, newDocument } from '../../../support/store.ts';
import { ingestTexts } from '../versions/ingest-texts.ts';

describeEngines('A removal', ({ openTestStore }) => {
  const letter = newDocument('Letter');

  describe('the receipt of a deletion', () => {
    it('counts deleted records of every kind, including earlier versions, and verifies the removal', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, ['The whale was white.', 'The captain had one leg.']);
      await ingestTexts(store, letter, ['The whale was white.', 'The captain had a wooden leg.']);
      await ingest(store, newDocument('two'), newChunks(2));
      const receipt = await store.corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'Letter' });
      expect(receipt).toEqual({
        documents: 1,
        chunks: 2,
        pastChunks: 1,
        versions: 1,
        vectors: 3,
        fullTextEntries: 5,
        files: 2,
        graphRows: 0,
        index: { removed: 3, state: 'confirmed' },
        verified: true,
      });
    });

    it('reports pending index removals while the index is down', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, ['The whale was white.']);
      store.index.simulateOutage();
      const receipt = await store.corpus.remove(everything);
      expect(receipt).toMatchObject({ index: { removed: 1, state: 'pending' }, verified: 'pending' });
      store.index.endOutage('intact');
    });

    it('is not verified when anything is left', async () => {
      const { sqlite, maintenance, index, corpus, spaces, ...store } = await openTestStore();
      await ingest({ ...store, sqlite, maintenance, corpus, spaces }, newDocument('two'), newChunks(2));
      const [{ key } = { key: 0 }] = await sqlite.reader.selectFrom('chunks').select('key').limit(1).execute();
      const space = await spaces.current();
      const collections = {
        open: () => index.open(space?.collection ?? '', 4),
        drop: async () => {},
      };
      const upkeep = {
        ...maintenance,
        collections,
        tryUpsert: async () => true,
        wakeUp() {},
        requireAudit() {},
        reportFailure() {},
        async close() {},
      };
      const search = createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
      const parts = { sqlite, upkeep, search };
      const sample = { key, text: 'passage number 0', vector: direction(0) };
      expect(await verifyRemoval(parts, { keys: [key], samples: [sample] }, 2_000)).toMatchObject({ verified: false });
      await sqlite.writer.deleteFrom('chunks').where('key', '=', key).execute();
      const { verified } = await verifyRemoval(parts, { keys: [key], samples: [sample] }, 2_000);
      expect(verified).toBe(false);
    });
  });
});
