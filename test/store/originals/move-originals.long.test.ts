import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ObjectStore } from '../../../src/store/originals/object-store.ts';
import { moveToDatabase, moveToObjects } from '../../../src/store/sql/originals/move-originals.ts';
import { ensurePlace } from '../../../src/store/sql/originals/originals-place.ts';
import { describeEngines } from '../../support/engines.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { ingest, newChunks, newDocument, type TestStore } from '../../support/store.ts';

const { signal } = new AbortController();
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const inDatabase = async ({ sqlite }: TestStore) => {
  const { rows } = await sql<{ files: number }>`
    select count(*) as files from document_files where object is null`.execute(sqlite.reader);
  return Number(rows[0]?.files);
};

describeEngines('moving originals', (engine) => {
  let s3: S3Server;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'citewell-s3-'));
    s3 = await startS3Server(folder);
  });
  afterAll(async () => {
    await s3.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('moves the files of documents and versions there and back, and resumes after an interruption', async () => {
    const store = await engine.openTestStore();
    const names = Array.from({ length: 60 }, (_, number) => `document ${number}`);
    for (const name of names.slice(1)) await store.corpus.begin(newDocument(name));
    const first = newDocument(names[0] ?? '');
    await ingest(store, first, newChunks(1, 'before'));
    await store.corpus.begin({ ...first, bytes: Buffer.from('successor') }, { replace: true });
    await store.corpus.stage(first.id, newChunks(1, 'after'));
    await store.corpus.publish(first.id, { text: 'after', pages: [], summary: null, totalTokens: 0 });
    const files = names.length + 1;

    const objects = s3.open('moved');
    let calls = 0;
    const breaking: ObjectStore = {
      ...objects,
      put: async (...args) => (++calls > 55 ? Promise.reject(new Error('the cable was cut')) : objects.put(...args)),
    };
    const database = store.sqlite;
    await expect(Array.fromAsync(moveToObjects({ database, objects: breaking, signal }))).rejects.toThrow(/cable/);
    expect(await inDatabase(store)).toBe(names.length - 50);
    await expect(ensurePlace({ ...database, objects })).rejects.toThrow(
      /was interrupted.*migrate originals --to s3:\/\/originals\/moved"/,
    );

    const events = await Array.fromAsync(moveToObjects({ database, objects, signal }));
    expect(events.at(0)).toMatchObject({ type: 'began', totalFiles: files - 50 });
    expect(events.at(-1)).toMatchObject({ type: 'done', files: files - 50, totalFiles: files - 50 });
    expect(await inDatabase(store)).toBe(0);
    const there = await store.reopen({ objects, objectGraceMs: 0 });
    expect(text(await there.corpus.bytesOf(newDocument('document 47').id))).toBe('bytes of document 47');
    expect(text(await there.versions.bytesOf(first.id, { version: 'v0' }))).toBe('bytes of document 0');

    const back = moveToDatabase({ database: there.sqlite, objects, signal });
    expect((await Array.fromAsync(back)).at(-1)).toMatchObject({ type: 'done', files });
    // Also those that the interruption had left, as nothing refers to the storage any more.
    expect(await s3.list('moved')).toEqual([]);
    const home = await there.reopen({});
    expect(await inDatabase(home)).toBe(names.length);
    expect(text(await home.corpus.bytesOf(first.id))).toBe('successor');
    expect(text(await home.versions.bytesOf(first.id, { version: 'v0' }))).toBe('bytes of document 0');
  });

  it('names the document of a damaged or missing file, and can be undone', async () => {
    const objects = s3.open('damaged');
    const store = await engine.openTestStore({ objects });
    const document = newDocument('one');
    await store.corpus.begin(document);
    const [object = ''] = await s3.list('damaged');
    await s3.damage('damaged', object);
    const database = store.sqlite;
    const back = () => Array.fromAsync(moveToDatabase({ database, objects, signal }));
    const words = (state: string) =>
      new RegExp(`"${document.title}" \\(${document.id}\\) is ${state}: .* --to s3://originals/damaged", delete this`);
    await expect(back()).rejects.toThrow(words('damaged'));
    expect(await inDatabase(store)).toBe(0);
    await objects.remove(object);
    await expect(back()).rejects.toThrow(words('missing'));
    await expect(ensurePlace({ ...database, objects })).rejects.toThrow(/was interrupted/);
    await Array.fromAsync(moveToObjects({ database, objects, signal }));
    await ensurePlace({ ...database, objects });
  });
});
