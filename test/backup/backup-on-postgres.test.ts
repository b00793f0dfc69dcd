import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { restoreToPostgres } from '../../src/adapters/restore-records.ts';
import { createBackups } from '../../src/backup/create-backups.ts';
import { restoreBackup, verifyBackup } from '../../src/backup/restore-backup.ts';
import { type SealOptions, sealArchive } from '../../src/backup/seal.ts';
import { everything } from '../../src/documents/filter.ts';
import { copySnapshot } from '../../src/store/copy/copy-snapshot.ts';
import { verifyCopy } from '../../src/store/copy/copy-store.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { readOneState } from '../../src/store/postgres/read-one-state.ts';
import { openStore, type SqlStore } from '../../src/store/sql/open-store.ts';
import { openSqlite } from '../../src/store/sql/sqlite/open-sqlite.ts';
import type { CopiedBytes, Store } from '../../src/store/store.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { embeddingText, ingest, newChunks, newDocument, openTestStore, testSpace } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const index = () => ({ index: memoryVectorIndex(), embeddingText, readers: 1 });
const options = (given: Partial<SealOptions> = {}): SealOptions => ({
  passphrase: undefined,
  keyWork: 10,
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...given,
});

async function opened(url: string): Promise<SqlStore> {
  const store = await openPostgresStore({ url, ...index() });
  onTestFinished(() => store.close());
  if ((await store.spaces.list()).length === 0) await store.spaces.claim(testSpace);
  return store;
}

/** Backups of a database, and where their unfinished files are. */
async function backupsOf(url: string) {
  const path = await temporaryFolder();
  const unfinishedFolder = join(path, 'unfinished');
  const snapshot: NonNullable<Store['snapshot']> = (file, signal, onProgress) =>
    readOneState(url, (database) => copySnapshot(database, { path: file, signal, onProgress }));
  return {
    unfinishedFolder,
    ...createBackups({
      store: { snapshot },
      folder: { path, databaseFile: join(path, 'citewell.db'), unfinishedFolder },
      version: '1',
    }),
  };
}

async function backedUp(url: string, given: Partial<SealOptions> = {}): Promise<string> {
  const backups = await backupsOf(url);
  const file = join(await temporaryFolder(), 'backup');
  const { content } = await backups.begin();
  await sealArchive(content, file, options(given));
  expect(await readdir(backups.unfinishedFolder)).toEqual([]);
  return file;
}

interface Restoring {
  readonly signal?: AbortSignal;
  readonly onStage?: (stage: string) => void;
}

async function restoreTo(url: string, file: string, { signal, onStage }: Restoring = {}): Promise<void> {
  const seal = options(signal && { signal });
  const config = { dataDir: await temporaryFolder() };
  for await (const event of restoreToPostgres({ file, url, config, seal, report: () => undefined })) {
    if (event.type === 'progress') onStage?.(event.stage);
  }
}

const found = async (store: SqlStore) =>
  (await store.chunks.matching({ text: 'passage chunk text', filter: everything, limit: 50 })).map(({ id, score }) => [
    id,
    score.toFixed(9),
  ]);

/** The tables in which a restored data folder and a restored database differ. */
async function differences(path: string, url: string): Promise<readonly string[]> {
  const [one, other] = [
    await openSqlite({ path, readers: 1, isCopying: true }),
    await openPostgres({ url, readers: 1, isCopying: true }),
  ];
  try {
    const sides = [
      { name: path, database: one },
      { name: url, database: other },
    ] as const;
    for await (const event of verifyCopy(...sides, new AbortController().signal)) {
      if (event.type !== 'compared') continue;
      expect(event.tables.find(({ table }) => table === 'chunks')?.rows[0]).toBeGreaterThan(0);
      return event.tables.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
    }
    throw new Error('Nothing was compared.');
  } finally {
    await one.close();
    await other.close();
  }
}

describePostgres('A backup', () => {
  it('made while others write is of one moment, and is restored to either engine', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    const large = { ...newDocument('large'), bytes: randomBytes(9_000_000) };
    await ingest(store, large, newChunks(5));
    const acknowledged = new Set<string>([large.id]);
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        const document = newDocument(`written ${acknowledged.size}`);
        await ingest(store, document, newChunks(3));
        acknowledged.add(document.id);
      }
    })();
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(3), PATIENT);
    const before = [...acknowledged];
    const file = await backedUp(url, { passphrase: 'four words or more' });
    const during = acknowledged.size;
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(during), PATIENT);
    isWriting = false;
    await writing;

    const sealed = options({ passphrase: 'four words or more' });
    const manifest = await verifyBackup(file, sealed);
    expect(manifest.documents).toBeLessThan(acknowledged.size);
    const folder = join(await temporaryFolder(), 'elsewhere');
    await restoreBackup(file, folder, sealed);
    const path = join(folder, 'citewell.db');
    const second = await postgresDatabase();
    const config = { dataDir: await temporaryFolder() };
    for await (const _ of restoreToPostgres({ file, url: second, config, seal: sealed, report: () => undefined }));
    expect(await differences(path, second)).toEqual([]);
    expect((await readdir(config.dataDir)).filter((name) => name !== 'lock')).toEqual([]);

    const onSqlite = await openStore({ path, ...index() });
    onTestFinished(() => onSqlite.close());
    const onPostgres = await opened(second);
    for (const restored of [onSqlite, onPostgres]) {
      for (const id of before) expect((await restored.corpus.get(id))?.id).toBe(id);
    }
    const hits = await found(onSqlite);
    expect(hits.length).toBeGreaterThan(0);
    expect(await found(onPostgres)).toEqual(hits);
  });

  it('reports the progress of the database copy it begins with', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    for (const name of ['one', 'two', 'three']) await ingest(store, newDocument(name), newChunks(5));
    const copied: CopiedBytes[] = [];
    const file = join(await temporaryFolder(), 'copy.db');
    await readOneState(url, (database) =>
      copySnapshot(database, { path: file, onProgress: (progress) => copied.push(progress) }),
    );
    expect(copied.length).toBeGreaterThan(3);
    expect(copied.map(({ done }) => done)).toEqual(copied.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(copied.at(-1)?.done).toBe(copied[0]?.total);

    const { promise: stopped, resolve: resume } = Promise.withResolvers<void>();
    const path = await temporaryFolder();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const backups = createBackups({
      store: {
        async snapshot(copy, _signal, onProgress) {
          onProgress?.({ done: 3, total: 7 });
          begin();
          await stopped;
          await writeFile(copy, await readFile(file));
        },
      },
      folder: { path, databaseFile: join(path, 'citewell.db'), unfinishedFolder: join(path, 'unfinished') },
      version: '1',
    });
    expect(await backups.copying()).toBeUndefined();
    const made = backups.begin();
    await begun;
    expect(await backups.copying()).toEqual({ done: 3, total: 7 });
    resume();
    const { content } = await made;
    expect(await backups.copying()).toBeUndefined();
    await content.return();
  });

  it('of SQLite is restored to PostgreSQL, and continues where it was interrupted', async () => {
    const first = await openTestStore();
    for (const name of ['one', 'two', 'three']) await ingest(first, newDocument(name), newChunks(5));
    const path = dirname(first.path);
    const unfinishedFolder = join(path, 'unfinished');
    const { content } = await createBackups({
      store: first,
      folder: { path, databaseFile: join(path, 'citewell.db'), unfinishedFolder },
      version: '1',
    }).begin();
    const file = join(await temporaryFolder(), 'backup');
    await sealArchive(content, file, options());
    const hits = await found(first);
    await first.close();

    const url = await postgresDatabase();
    for (const stage of ['copy', 'full_text', 'compare']) {
      const ending = new AbortController();
      const onStage = (each: string) => void (each === stage && ending.abort());
      await expect(restoreTo(url, file, { signal: ending.signal, onStage })).rejects.toThrow(/continues where/);
      await expect(openPostgresStore({ url, ...index() })).rejects.toThrow(
        /is an incomplete copy of .*citewell restore/,
      );
    }
    const another = await backedUp(await postgresDatabase());
    await expect(restoreTo(url, another)).rejects.toThrow(/is an incomplete copy of/);
    await restoreTo(url, file);
    expect(hits.length).toBeGreaterThan(0);
    const restored = await opened(url);
    expect(await found(restored)).toEqual(hits);
    await restored.close();
    await expect(restoreTo(url, file)).rejects.toThrow(/is not empty/);
  });

  it('that is interrupted, or runs out of disk space, leaves nothing behind', async () => {
    const url = await postgresDatabase();
    await ingest(await opened(url), newDocument('one'), newChunks(3));
    const { begin, unfinishedFolder } = await backupsOf(url);
    await expect(begin(AbortSignal.abort())).rejects.toThrow(/interrupted/);
    expect(await readdir(unfinishedFolder)).toEqual([]);
    const path = join(await temporaryFolder(), 'copy.db');
    const copy = readOneState(url, (database) => copySnapshot(database, { path, freeIn: async () => 1_000 }));
    await expect(copy).rejects.toThrow(/needs about .* free/);
    expect(await readdir(dirname(path))).toEqual([]);
  });
});
