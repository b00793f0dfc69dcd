import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import { type EmbeddedChroma, openEmbeddedChroma } from '../../../src/store/chroma/embedded-chroma.ts';
import { openCollections } from '../../../src/store/sql/index-sync/open-collections.ts';
import { openStore, type SqlStore } from '../../../src/store/sql/open-store.ts';
import { createChunkSearch } from '../../../src/store/sql/search/chunk-search.ts';
import { indexGraph } from '../../../src/store/vector-index.ts';
import { bindingCache, silentLog } from '../../support/embedded-chroma.ts';
import { newChunk, newDocument } from '../../support/new-document.ts';
import { PATIENT } from '../../support/patience.ts';
import { ingest } from '../../support/store.ts';
import { suspend } from '../../support/suspend.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DIMENSIONS = 8;
/** More than the limit for exhaustive comparison, and more than Chroma buffers before it writes the graph to disk. */
const CHUNKS = 4_500;
const space = { embedder: 'test/waves', version: '1', dimensions: DIMENSIONS };

const vectorOf = (number: number): Float32Array => {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, axis) => Math.sin((number + 1) * Math.sqrt(axis + 2)));
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
};

interface Opened {
  readonly store: SqlStore;
  readonly chroma: EmbeddedChroma;
  /** The chunk nearest to its own vector, and the notes of the search. */
  find(number: number): Promise<{ readonly text: string | undefined; readonly notes: readonly string[] }>;
}

async function openOn(folder: string): Promise<Opened> {
  const chroma = await openEmbeddedChroma({
    folder: join(folder, 'chroma'),
    cacheFolder: bindingCache,
    log: silentLog,
  });
  onTestFinished(() => chroma.close());
  const embeddingText = ({ text }: { readonly text: string }) => text;
  const store = await openStore({ path: join(folder, 'citewell.db'), index: chroma, embeddingText });
  onTestFinished(() => store.close());
  const search = createChunkSearch({
    search: store.sqlite.search,
    collections: openCollections(chroma),
    state: store.maintenance.state,
    onFailure: store.maintenance.reportFailure,
  });
  return {
    store,
    chroma,
    async find(number) {
      const notes: string[] = [];
      const query = { vector: vectorOf(number), measure: 'cosine_distance', filter: everything, limit: 1 } as const;
      const [hit] = await search.nearest({ ...query, note: (text) => notes.push(text) });
      return { text: hit?.text, notes };
    },
  };
}

async function filled(): Promise<{ readonly folder: string } & Opened> {
  const folder = await temporaryFolder();
  const opened = await openOn(folder);
  await opened.store.spaces.claim(space);
  const chunks = Array.from({ length: CHUNKS }, (_, number) => ({
    ...newChunk(number, `passage ${number}`),
    vector: vectorOf(number),
  }));
  await ingest(opened.store, newDocument('waves'), chunks);
  await opened.store.maintenance.audit();
  return { folder, ...opened };
}

/** Fails with the states it is stuck in. */
const inStep = ({ store, chroma }: Opened) =>
  vi.waitFor(
    () => expect([store.maintenance.state(), chroma.server.kind]).toEqual([{ kind: 'in_step' }, 'running']),
    PATIENT,
  );

function pidOf({ server }: EmbeddedChroma): number {
  if (server.kind !== 'running') throw new Error('It should run.');
  return server.pid;
}

describe.skipIf(process.platform === 'win32')('a failing vector index', () => {
  it('is bypassed while it hangs, and used again when it responds', async () => {
    const opened = await filled();
    const { store, chroma, find } = opened;
    expect(await find(4_321)).toEqual({ text: 'passage 4321', notes: [] });
    const pid = pidOf(chroma);
    await suspend(pid);
    const [first, second] = await Promise.all([find(1), find(2)]);
    expect([first.text, second.text]).toEqual(['passage 1', 'passage 2']);
    expect(first.notes.join()).toMatch(/did not answer/);
    expect(store.maintenance.state().kind).toBe('down');
    const later = await find(3);
    expect(later).toMatchObject({ text: 'passage 3', notes: [expect.stringMatching(/not answering/)] });
    // A document can be published while its index writes are pending.
    await ingest(store, newDocument('more'), [{ ...newChunk(0, 'one more'), vector: vectorOf(9_999) }]);
    expect((await find(9_999)).text).toBe('one more');
    process.kill(pid, 'SIGCONT');
    await inStep(opened);
    expect(await find(9_999)).toEqual({ text: 'one more', notes: [] });
  });

  it('is restarted when it hangs for long, and does not delay closing', async () => {
    const opened = await filled();
    const { store, chroma, find } = opened;
    const pid = pidOf(chroma);
    await suspend(pid);
    expect((await find(1)).text).toBe('passage 1');
    await vi.waitUntil(() => chroma.server.kind === 'running' && chroma.server.pid !== pid, PATIENT);
    await inStep(opened);
    expect(await find(4_000)).toEqual({ text: 'passage 4000', notes: [] });

    await suspend(pidOf(chroma));
    const asked = find(2).catch((error: unknown) => error);
    const auditing = store.maintenance.audit().catch((error: unknown) => error);
    await store.close();
    await chroma.close();
    await Promise.all([asked, auditing]);
    expect(chroma.server.kind).toBe('stopped');
  });

  it('is rebuilt when part of its files is missing', async () => {
    const again = await reopenedAfter((file, size) => truncate(file, Math.floor(size / 2)));
    await inStep(again);
    await findsAll(again);
  });

  it('is rebuilt when it refuses some searches, and not that of its check', async () => {
    const again = await reopenedAfter((file) => breakLabels(file));
    await inStep(again);
    await findsAll(again);
  });
});

/** A store whose index was damaged while it was closed. */
async function reopenedAfter(damage: (file: string, size: number) => Promise<void>): Promise<Opened> {
  const { folder, store, chroma } = await filled();
  await store.close();
  await chroma.close();
  const entries = await readdir(join(folder, 'chroma'), { withFileTypes: true });
  const graph = entries.find((entry) => entry.isDirectory())?.name;
  const file = join(folder, 'chroma', graph ?? 'missing', 'data_level0.bin');
  await damage(file, (await stat(file)).size);
  return openOn(folder);
}

async function findsAll({ find }: Opened): Promise<void> {
  for (let number = 0; number < CHUNKS; number += 50) {
    expect(await find(number)).toEqual({ text: `passage ${number}`, notes: [] });
  }
}

/** Bytes of the links of an element at the lowest level, before its vector; its label, of eight bytes, is the last. */
const LINKS = 4 + 2 * indexGraph.neighbours * 4;
const ELEMENT = LINKS + 4 * DIMENSIONS + 8;

/** Makes the vectors unknown that point away from the one the check searches for, along the first axis. */
async function breakLabels(file: string): Promise<void> {
  const bytes = await readFile(file);
  let broken = 0;
  for (let at = 0; at + ELEMENT <= bytes.length; at += ELEMENT) {
    if (bytes.readFloatLE(at + LINKS) >= 0) continue;
    bytes.writeBigUInt64LE(BigInt(10_000_000 + broken++), at + ELEMENT - 8);
  }
  expect(broken).toBeGreaterThan(CHUNKS / 4);
  await writeFile(file, bytes);
}
