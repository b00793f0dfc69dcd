import { appendFile, chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { httpClient } from '../../src/cli/http-client.ts';
import { createServerLink } from '../../src/cli/server-link.ts';
import { everything } from '../../src/documents/filter.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { embeddingText } from '../../src/ingest/embedding-text.ts';
import { watchFiles } from '../../src/ingest/folders/file-events.ts';
import type { FolderStep } from '../../src/ingest/folders/folder-step.ts';
import { localTarget } from '../../src/ingest/folders/local-target.ts';
import { createPendingPaths } from '../../src/ingest/folders/pending-paths.ts';
import { type SyncParts, syncPaths } from '../../src/ingest/folders/sync-folder.ts';
import { createIngestor } from '../../src/ingest/ingest-document.ts';
import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { LruMap } from '../../src/shared/lru-map.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { shareStore } from '../../src/store/share-store.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { startHttp } from '../http/support/start-http.ts';
import { makeBmp } from '../ingest/make-pictures.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Longer time-outs for busy machines. */

const always = new AbortController().signal;

interface FolderOptions {
  /** Ingests in this process, as the service does; otherwise over HTTP, as a command does. */
  readonly isLocal?: boolean;
  readonly imageReader?: NonNullable<Parameters<typeof createPreparationWorkers>[0]>['imageReader'];
}

/** A folder `notes` and a corpus to synchronise with it. */
async function openFolder(change: Partial<SyncParts> = {}, { isLocal = false, imageReader }: FolderOptions = {}) {
  const folder = await temporaryFolder();
  const root = join(folder, 'notes');
  await mkdir(root);
  const store = await openStore({
    path: join(folder, 'citewell.db'),
    index: memoryVectorIndex(),
    embeddingText,
    readers: 1,
  });
  const readers = createPreparationWorkers({ imageReader });
  const ingestor = createIngestor({ ...store, readers, embeddings: createLexicalHash() });
  const { corpus, sources, collections } = store;
  const http = await startHttp({ corpus, sources, collections, ingestor });
  onTestFinished(async () => {
    await http.close();
    await readers.close();
    await store.close();
  });
  const link = createServerLink(
    shareStore({ find: async () => ({ url: http.url, token: '', isLasting: false }), open: () => Promise.reject() }),
  );
  const parts: SyncParts = {
    client: isLocal
      ? localTarget({ userId: defaultAdmin.userId, collectionIds: async () => [] }, { corpus, sources, ingestor })
      : await httpClient(link),
    root,
    dataFolder: join(folder, '.citewell'),
    metadata: {},
    collections: [],
    keepDeleted: false,
    duplicates: new Map(),
    settleMs: () => 0,
    stop: always,
    abandon: always,
    ...change,
  };
  const steps: FolderStep[] = [];
  const at = (name: string) => join(root, name);
  /** Results by path below the root, without unchanged files. */
  const sync = async (...names: string[]) => {
    const done: string[] = [];
    steps.length = 0;
    for await (const step of syncPaths(names.length === 0 ? [root] : names.map(at), parts)) {
      if (step.type === 'unchanged') continue;
      steps.push(step);
      done.push(`${step.type === 'document' ? step.outcome : step.type} ${step.name.slice(root.length + 1)}`);
    }
    return done.sort();
  };
  const titles = async () => {
    const { items } = await store.corpus.list(everything, { offset: 0, limit: 100 });
    return items.map(({ title }) => title).sort();
  };
  return { store, root, at, sync, titles, parts, steps };
}

describe('a folder and its documents', () => {
  it('are synchronised, and a second run changes nothing', async () => {
    const { at, sync, titles } = await openFolder();
    await mkdir(at('deep/er'), { recursive: true });
    await writeFile(at('boats.txt'), 'Boats leave at nine.');
    await writeFile(at('deep/er/tides.md'), '# Tides\n\nThe tide rises.');
    await writeFile(at('film.mov'), Buffer.from([0, 0, 0, 20, 0x66, 0x74, 0x79, 0x70, 0, 1, 2, 255]));
    await writeFile(at('.hidden.txt'), 'nor this');
    expect(await sync()).toEqual(['ingested boats.txt', 'ingested deep/er/tides.md']);
    expect(await sync()).toEqual([]);
    await appendFile(at('boats.txt'), ' Or at ten.');
    await rm(at('deep'), { recursive: true });
    expect(await sync()).toEqual(['removed deep/er/tides.md', 'replaced boats.txt']);
    expect(await titles()).toEqual(['boats.txt']);
  });

  it.each([true, false])(
    'skip a picture that no decoder reads, once, without a document (local: %s)',
    async (isLocal) => {
      const readImage = async () => 'Boats leave at nine.';
      const imageReader = { kind: 'remote', readImage } as const;
      const skipped = new LruMap<string, string>({ max: 10 });
      const { at, sync, titles, steps } = await openFolder({ skipped }, { isLocal, imageReader });
      await writeFile(at('boats.bmp'), makeBmp([1, 2, 3]));
      await writeFile(at('broken.bmp'), makeBmp([1, 2, 3]).subarray(0, 54));
      expect(await sync()).toEqual(['ingested boats.bmp', 'skipped broken.bmp']);
      const reason = expect.stringContaining('broken.bmp is broken, or a picture');
      expect(steps).toContainEqual({ type: 'skipped', name: at('broken.bmp'), reason });
      expect(await titles()).toEqual(['boats.bmp']);
      expect(await sync()).toEqual([]);
      await writeFile(at('broken.bmp'), makeBmp([3, 2, 1]).subarray(0, 55));
      expect(await sync()).toEqual(['skipped broken.bmp']);
      await writeFile(at('broken.bmp'), makeBmp([3, 2, 1]));
      expect(await sync()).toEqual(['ingested broken.bmp']);
    },
  );

  it('leave out a file that is larger than the operator allows', async () => {
    const { at, sync } = await openFolder({ maxBytes: 30 });
    await writeFile(at('boats.txt'), 'Boats leave at nine.');
    await writeFile(at('tides.txt'), 'The tide rises, and then it falls again.');
    expect(await sync()).toEqual(['failed tides.txt', 'ingested boats.txt']);
  });

  it('recognise a moved or renamed file by its content, and keep its document', async () => {
    const { store, at, sync } = await openFolder();
    await mkdir(at('old'));
    await writeFile(at('old/boats.txt'), 'Boats leave at nine.');
    await writeFile(at('old/tides.txt'), 'The tide rises.');
    await sync();
    const before = (await store.corpus.list(everything, { offset: 0, limit: 9 })).items;
    const chunksOf = async (id: string) => (await store.corpus.chunksOf(id, { offset: 0, limit: 9 })).items;
    const boats = before.find(({ title }) => title === 'boats.txt');
    const [chunk] = await chunksOf(boats?.id ?? '');
    await rename(at('old'), at('new'));
    await rename(at('new/boats.txt'), at('new/ships.txt'));
    // As file system events arrive: for both paths, in any order.
    expect(await sync('old', 'new')).toEqual(['moved new/ships.txt', 'moved new/tides.txt']);
    expect(await store.corpus.get(boats?.id ?? '')).toMatchObject({
      title: 'ships.txt',
      fileName: 'ships.txt',
      source: expect.stringMatching(/\/notes\/new\/ships\.txt$/),
      ingestionAttempt: boats?.ingestionAttempt,
    });
    expect((await chunksOf(boats?.id ?? ''))[0]).toMatchObject({ id: chunk?.id, metadata: { title: 'ships.txt' } });
    const found = await store.corpus.searchDocuments({ text: 'ships', filter: everything, limit: 9, offset: 0 });
    expect(found.items.map(({ id }) => id)).toEqual([boats?.id]);
    expect(await sync()).toEqual([]);

    // The old path can be used by another file without affecting the moved document.
    await mkdir(at('old'));
    await writeFile(at('old/boats.txt'), 'Other boats.');
    await appendFile(at('new/ships.txt'), ' Or at ten.');
    expect(await sync()).toEqual(['ingested old/boats.txt', 'replaced new/ships.txt']);
    expect((await store.corpus.list(everything, { offset: 0, limit: 9 })).total).toBe(3);
  });

  it('keep the document of a copy when the original file is deleted', async () => {
    const { at, sync, titles } = await openFolder();
    await writeFile(at('one.txt'), 'The same words.');
    await sync();
    await writeFile(at('two.txt'), 'The same words.');
    expect(await sync('two.txt')).toEqual(['duplicate two.txt']);
    await rm(at('one.txt'));
    expect(await sync('one.txt')).toEqual(['moved two.txt']);
    expect(await titles()).toEqual(['two.txt']);
  });

  it('do not touch documents from other sources', async () => {
    const { store, at, sync, root, titles, parts } = await openFolder();
    const { client } = parts;
    const item = { fileName: 'other.txt', metadata: {}, collections: [] };
    for (const source of ['file:///nowhere/other.txt', `file://${root}-beside/other.txt`, 'https://example.org/a']) {
      await client.ingest({ ...item, source, bytes: Buffer.from(`words of ${source}`) }, always);
    }
    await writeFile(at('boats.txt'), 'Boats leave at nine.');
    await sync();
    await rm(at('boats.txt'));
    await writeFile(at('left.txt'), 'So that it is not empty.');
    expect(await sync()).toEqual(['ingested left.txt', 'removed boats.txt']);
    expect(await titles()).toHaveLength(4);
    expect((await store.corpus.stats()).documents.success).toBe(4);
  });

  it('keep all documents when the folder is suddenly empty or unreadable', async () => {
    const { at, sync, titles, root } = await openFolder();
    await writeFile(at('boats.txt'), 'Boats leave at nine.');
    await sync();
    await rm(at('boats.txt'));
    expect(await sync()).toEqual(['kept ']);
    await rm(root, { recursive: true });
    expect(await sync()).toEqual(['kept ']);
    expect(await titles()).toEqual(['boats.txt']);
    // A file that was seen to be deleted is different.
    await mkdir(root);
    expect(await sync('boats.txt')).toEqual(['removed boats.txt']);
  });

  it('keep documents of deleted files when that is requested', async () => {
    const { at, sync, titles } = await openFolder({ keepDeleted: true });
    await writeFile(at('boats.txt'), 'Boats leave at nine.');
    await sync();
    await rm(at('boats.txt'));
    expect(await sync('boats.txt')).toEqual([]);
    expect(await titles()).toEqual(['boats.txt']);
  });

  it('wait for a file that is being written, and tolerate unreadable files and link loops', async () => {
    let settle = 60_000;
    const { at, sync } = await openFolder({ settleMs: () => settle });
    await writeFile(at('boats.txt'), 'Boats le');
    expect(await sync()).toEqual(['unsettled boats.txt']);
    settle = 0;
    await symlink(at('.'), at('loop'));
    await writeFile(at('broken.json'), '{"a":');
    await writeFile(at('locked.txt'), 'words');
    await chmod(at('locked.txt'), 0o000);
    const isRoot = process.getuid?.() === 0;
    expect(await sync()).toEqual([
      'failed broken.json',
      ...(isRoot ? [] : ['failed locked.txt']),
      'ingested boats.txt',
      ...(isRoot ? ['ingested locked.txt'] : []),
    ]);
    // A failed file is not retried until it changes.
    expect((await sync()).filter((step) => step.includes('broken'))).toEqual([]);
  });
});

describe('events of files', () => {
  it('report created, changed and removed files, but not hidden ones', async () => {
    const root = await temporaryFolder();
    const paths = new Set<string>();
    const events = await watchFiles({
      root,
      dataFolder: join(root, 'data'),
      onPath: (path) => paths.add(path),
      onLost: (cause) => {
        throw cause;
      },
    });
    onTestFinished(() => events.close());
    await mkdir(join(root, '.git'));
    await mkdir(join(root, 'data'));
    await writeFile(join(root, '.git/a.txt'), 'a');
    await writeFile(join(root, 'data/a.db'), 'a');
    await mkdir(join(root, 'deep'));
    await writeFile(join(root, 'deep/a.txt'), 'a');
    await expect.poll(() => [...paths], PATIENT).toEqual(expect.arrayContaining([join(root, 'deep')]));
    await rename(join(root, 'deep'), join(root, 'other'));
    await expect.poll(() => [...paths], PATIENT).toEqual(expect.arrayContaining([join(root, 'other')]));
    expect([...paths].filter((path) => /\.git|data/.test(path))).toEqual([]);
  });
});

describe('pending paths', () => {
  const root = '/notes';

  it('are due after a quiet period, and cover everything below them', () => {
    const pending = createPendingPaths(root, { quietMs: 100, maxMs: 1_000 });
    for (const path of ['/notes/a/b.txt', '/notes/a', '/notes/ab.txt']) pending.add(path);
    const now = performance.now();
    expect(pending.takeDue(now)).toEqual([]);
    expect(pending.untilDue(now)).toBeLessThanOrEqual(100);
    expect(pending.takeDue(now + 101)).toEqual(['/notes/a', '/notes/ab.txt']);
    expect(pending.untilDue(now)).toBeUndefined();
  });

  it('are replaced by the whole folder when there are too many', () => {
    const pending = createPendingPaths(root, { quietMs: 0, maxMs: 0 });
    for (let number = 0; number < 20_000; number++) pending.add(`/notes/${number}.txt`);
    expect(pending.takeDue(performance.now() + 1)).toEqual([root]);
  });
});
