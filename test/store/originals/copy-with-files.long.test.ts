import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copySnapshot } from '../../../src/store/copy/copy-snapshot.ts';
import type { ObjectStore } from '../../../src/store/originals/object-store.ts';
import { readOneState } from '../../../src/store/postgres/read-one-state.ts';
import { copyWithFiles } from '../../../src/store/sql/originals/complete-copy.ts';
import { removeSome } from '../../../src/store/sql/originals/object-removals.ts';
import { openSqlite } from '../../../src/store/sql/sqlite/open-sqlite.ts';
import { describeEngines, type Engine } from '../../support/engines.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { ingest, newChunks, newDocument, type TestStore } from '../../support/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();

async function opened(engine: Engine) {
  const s3 = await startS3Server(await temporaryFolder());
  onTestFinished(() => s3.stop());
  const objects = s3.open('kb');
  return { s3, objects, store: await engine.openTestStore({ objects, versionsKept: 0 }) };
}

/** Copies the records of a store and their files, and returns the copy. */
async function copyOf(store: TestStore, objects: ObjectStore): Promise<string> {
  const path = join(await temporaryFolder(), 'copy.db');
  await copyWithFiles({ path, source: store.sqlite, objects }, async () => {
    if (store.snapshot !== undefined) await store.snapshot(path);
    else await readOneState(store.path, (database) => copySnapshot(database, { path }));
  });
  return path;
}

describeEngines('A copy of records with files in a storage', (engine) => {
  it('has the files of documents that are replaced and removed while it is made', async () => {
    const { s3, objects, store } = await opened(engine);
    const [replaced, removed] = [newDocument('one'), newDocument('two')];
    for (const document of [replaced, removed]) await ingest(store, document, newChunks(1, document.title));
    const before = await s3.list('kb');
    expect(before).toHaveLength(2);
    let isChanged = false;
    const changing: ObjectStore = {
      ...objects,
      async get(...args) {
        if (!isChanged) {
          isChanged = true;
          await store.corpus.begin({ ...replaced, bytes: Buffer.from('successor') }, { replace: true });
          await store.corpus.stage(replaced.id, newChunks(1, 'after'));
          await store.corpus.publish(replaced.id, { text: 'after', pages: [], summary: null, totalTokens: 0 });
          await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: removed.id });
          expect(await removeSome(store.sqlite, objects, signal)).toBe(false);
        }
        return objects.get(...args);
      },
    };
    const path = await copyOf(store, changing);
    expect(isChanged).toBe(true);
    const copy = await openSqlite({ path, readers: 1, isCopying: true });
    onTestFinished(() => copy.close());
    const files = await copy.reader.selectFrom('document_files').select(['bytes', 'object']).execute();
    const found = files.map(({ bytes, object }) => [Buffer.from(bytes).toString(), object]).toSorted();
    expect(found).toEqual([
      ['bytes of one', null],
      ['bytes of two', null],
    ]);
    const settings = await copy.reader.selectFrom('settings').select('name').execute();
    expect(settings.filter(({ name }) => /held|originals/.test(name))).toEqual([]);

    expect(await removeSome(store.sqlite, objects, signal)).toBe(true);
    const after = await s3.list('kb');
    expect(after).toHaveLength(1);
    expect(before).not.toContain(after[0]);
  });

  it('is refused while files are missing, with the names of all their documents', async () => {
    const { s3, objects, store } = await opened(engine);
    const documents = ['one', 'two', 'three'].map((name) => newDocument(name));
    for (const document of documents) await store.corpus.begin(document);
    for (const object of (await s3.list('kb')).slice(0, 2)) await objects.remove(object);
    const kept = await s3.list('kb');
    const left = await store.sqlite.reader
      .selectFrom('document_files as f')
      .innerJoin('documents as d', 'd.key', 'f.document_key')
      .select('d.id')
      .where('f.object', '=', kept[0] ?? '')
      .executeTakeFirstOrThrow();
    const refusal = await copyOf(store, objects).catch((error: Error) => error.message);
    expect(refusal).toMatch(/be incomplete: 2 of 3 files are missing in s3:.*delete these documents/);
    for (const { id } of documents) expect(String(refusal).includes(id)).toBe(id !== left.id);
    await expect(store.corpus.bytesOf(documents.find(({ id }) => id !== left.id)?.id ?? '')).rejects.toMatchObject({
      code: 'store_failed',
      publicMessage: expect.stringMatching(/is missing in the storage.*Delete the document, and upload it again/),
    });
  });

  it('is refused while a file is damaged, with the name of its document', async () => {
    const { s3, objects, store } = await opened(engine);
    const documents = ['one', 'two'].map((name) => newDocument(name));
    for (const document of documents) await store.corpus.begin(document);
    const [object = ''] = await s3.list('kb');
    await s3.damage('kb', object);
    const { id, title } = await store.sqlite.reader
      .selectFrom('document_files as f')
      .innerJoin('documents as d', 'd.key', 'f.document_key')
      .select(['d.id', 'd.title'])
      .where('f.object', '=', object)
      .executeTakeFirstOrThrow();
    await expect(copyOf(store, objects)).rejects.toMatchObject({
      code: 'store_failed',
      publicMessage: expect.stringMatching(
        new RegExp(`^The stored file of "${title}" \\(${id}\\) is damaged: .*delete this document and upload it again`),
      ),
    });
  });
});
