import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { describeEngines, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { startKinds } from '../support/source-kinds.ts';
import { startFollowing } from '../support/start-following.ts';
import { embeddingText } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const RIVERS = 'The Rhine rises in the Alps above Chur.';
const MILLS = 'Forty mills stood at the weir of Basel.';
const OATS = 'Oats cost nine crowns a bushel.';
const DANUBE = 'The Danube rises in the Black Forest.';
const WEIRS = 'A weir dams a river to raise its level.';
const LOCKS = 'Locks lift the barges by eleven feet.';

describeEngines('A source', (engine) => {
  /** Where the service keeps everything, and its records while it does not run. */
  async function place() {
    const index = memoryVectorIndex();
    if (engine.name === 'SQLite') {
      const folder = await temporaryFolder();
      const path = join(folder, 'citewell.db');
      return { keptIn: { folder }, open: () => openStore({ path, index, embeddingText, readers: 1 }) };
    }
    const database = await postgresDatabase();
    return { keptIn: { database }, open: () => openPostgresStore({ url: database, index, embeddingText }) };
  }

  for (const [kind, { isMissing = false, start }] of Object.entries(startKinds)) {
    it.skipIf(isMissing)(`of the kind ${kind} is followed through changes, a restart and its schedule`, async () => {
      const [{ source, change, ...reached }, { keptIn, open }] = await Promise.all([start(), place()]);
      await change({ 'rivers.md': RIVERS, 'mills.md': MILLS, 'oats.md': OATS });
      const following = await startFollowing({ ...reached, ...keptIn });
      const { add, sync, call } = following;
      /** The texts of all documents, and whether a search finds each of them. */
      const texts = async ({ call }: Pick<typeof following, 'call'>) => {
        const { results } = (await call('GET', '/documents')).body;
        const all = await Promise.all(
          results.map(async ({ id }: { id: string }) => (await call('GET', `/documents/${id}/text`)).body.results.text),
        );
        const known = [RIVERS, MILLS, OATS, DANUBE, WEIRS, LOCKS];
        const found = known.filter((text) => all.some((each) => String(each).includes(text)));
        for (const query of found) {
          const hits = (await call('POST', '/retrieval/search', { query })).body.results.chunk_search_results;
          expect(hits[0].text).toContain(query);
        }
        expect(all).toHaveLength(found.length);
        return found;
      };

      const first = await add({ ...source, every_minutes: null });
      expect(first).toMatchObject({
        state: 'idle',
        problem: null,
        last_sync: { counts: { ingested: 3 }, failures: [] },
      });
      expect(await texts(following)).toEqual([RIVERS, MILLS, OATS]);
      const { id } = first;

      await change({ 'rivers.md': DANUBE, 'mills.md': null, 'weirs.md': WEIRS });
      expect((await sync(id)).last_sync).toMatchObject({ counts: { removed: expect.any(Number) }, failures: [] });
      expect(await texts(following)).toEqual([OATS, DANUBE, WEIRS]);
      const { counts } = (await sync(id)).last_sync;
      expect(Object.keys(counts).filter((outcome) => outcome !== 'unchanged')).toEqual([]);
      // The same text at another place.
      await change({ 'oats.md': null, 'grain.md': OATS });
      await sync(id);
      expect(await texts(following)).toEqual([OATS, DANUBE, WEIRS]);

      expect((await call('PATCH', `/sources/${id}`, { keep_deleted: true })).status).toBe(200);
      await change({ 'grain.md': null });
      expect((await sync(id)).last_sync.counts).not.toHaveProperty('removed');
      expect(await texts(following)).toEqual([OATS, DANUBE, WEIRS]);

      // By its schedule, which is due when the service starts again, and from where the listing before ended.
      expect((await call('PATCH', `/sources/${id}`, { keep_deleted: false, every_minutes: 60 })).status).toBe(200);
      await following.close();
      const store = await open();
      const endedAt = '2026-01-01T00:00:00.000Z';
      await store.followed.saveReport(id, { startedAt: endedAt, endedAt, counts: {}, failures: [] });
      await store.close();
      await change({ 'weirs.md': null, 'locks.md': LOCKS });
      const again = await startFollowing({ ...reached, ...keptIn });
      await vi.waitFor(async () => {
        const { last_sync: latest } = (await again.call('GET', `/sources/${id}`)).body.results;
        expect([latest.started_at > endedAt, latest.ended_at]).toEqual([true, expect.any(String)]);
      }, PATIENT);
      expect(await texts(again)).toEqual([OATS, DANUBE, LOCKS]);

      expect((await again.call('DELETE', `/sources/${id}`)).status).toBe(200);
      expect((await again.call('GET', '/sources')).body.results).toEqual([]);
      expect(await texts(again)).toEqual([OATS, DANUBE, LOCKS]);
    });
  }
});
