import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import type { ObjectStore } from '../../../src/store/originals/object-store.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { raiseWorksFrom } from '../../../src/store/sql/migrations/run-steps.ts';
import { ensurePlace } from '../../../src/store/sql/originals/originals-place.ts';
import { describeEngines, describePostgres, postgresDatabase } from '../../support/engines.ts';
import { PATIENT } from '../../support/patience.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { ingest, newChunks, newDocument, type TestStore } from '../../support/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const rows = async (store: TestStore) => {
  const found = await sql<{ size: number; object: string | null }>`
    select octet_length(bytes) as size, object from document_files order by document_key`.execute(store.sqlite.reader);
  return found.rows;
};
const noted = async (store: TestStore) =>
  (await store.sqlite.reader.selectFrom('object_removals').selectAll().orderBy('object').execute()).map(
    ({ object }) => object,
  );

describeEngines('originals as objects', (engine) => {
  let s3: S3Server;
  let folder: string;
  let prefixes = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'citewell-s3-'));
    s3 = await startS3Server(folder);
  });
  afterAll(async () => {
    await s3.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(change: (objects: ObjectStore) => Partial<ObjectStore> = () => ({}), objectGraceMs?: number) {
    const prefix = `test/${++prefixes}`;
    const plain = s3.open(prefix);
    const objects = { ...plain, ...change(plain) };
    const store = await engine.openTestStore({ objects, ...(objectGraceMs !== undefined && { objectGraceMs }) });
    return { store, objects, prefix, list: () => s3.list(prefix) };
  }

  it('keeps the bytes of documents and their versions outside of the database', async () => {
    const { store, list } = await open();
    const document = newDocument('one');
    await ingest(store, document, newChunks(2, 'first'));
    const again = { ...document, bytes: Buffer.from('other bytes') };
    await store.corpus.begin(again, { replace: true });
    // Until the successor is published, the version that is seen keeps its own.
    expect(text(await store.corpus.at(new Date().toISOString()).bytesOf(document.id))).toBe('bytes of one');
    await store.corpus.stage(document.id, newChunks(2, 'second'));
    await store.corpus.publish(document.id, { text: 'second', pages: [], summary: null, totalTokens: 0 });
    expect(await rows(store)).toMatchObject([{ size: 0, object: expect.stringMatching(`^${sha(again.bytes)}-11-`) }]);
    expect(await list()).toHaveLength(2);
    expect(text(await store.corpus.bytesOf(document.id))).toBe('other bytes');
    expect(text(await store.versions.bytesOf(document.id, { version: 'v0' }))).toBe('bytes of one');
    expect(text(await (await store.versions.originalOf(document.id, { version: 'v0' }))?.read())).toBe('bytes of one');
    await store.versions.restore(document.id, 'v0');
    expect(text(await store.corpus.bytesOf(document.id))).toBe('bytes of one');
    expect(text(await store.versions.bytesOf(document.id, { version: 'v1' }))).toBe('other bytes');
    const receipt = await store.corpus.remove(everything);
    expect(receipt.files).toBe(3);
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    await vi.waitFor(async () => expect(await noted(store)).toEqual([]), PATIENT);
  });

  it('streams an object, and fails before the end of a damaged one', async () => {
    const { store, list, prefix } = await open();
    const bytes = Buffer.alloc(400_000, 'abcdefghijklmnopqrstuvwxyz0123456789.');
    const document = newDocument('large', { bytes });
    await store.corpus.begin(document);
    const original = await store.corpus.originalOf(document.id);
    expect(original?.sizeInBytes).toBe(bytes.byteLength);
    expect(sha((await original?.read()) ?? Buffer.of())).toBe(sha(bytes));
    const range = { start: 399_990, end: 399_999 };
    const part = Buffer.concat(await Array.fromAsync(original?.stream({ range }) ?? []));
    expect(part.equals(bytes.subarray(range.start))).toBe(true);

    await s3.damage(prefix, (await list())[0] ?? '');
    const seen: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of original?.stream() ?? []) seen.push(piece);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'store_failed', message: expect.stringMatching(/damaged/) });
    expect(Buffer.concat(seen).byteLength).toBeLessThan(bytes.byteLength);
    await expect(store.corpus.bytesOf(document.id)).rejects.toThrow(/SHA-256/);
  });

  it('leaves at most an unreferenced object, which is removed after the grace time', async () => {
    const names: string[] = [];
    const { store, list, objects } = await open(
      (plain) => ({
        // As if the process was killed between the object and the record.
        async put(object, bytes, signal) {
          if (object === 'citewell.json') return plain.put(object, bytes, signal);
          names.push(object);
          await plain.put(object, bytes, signal);
          await new Promise<never>(() => {});
        },
      }),
      0,
    );
    void store.corpus.begin(newDocument('killed'));
    await vi.waitFor(async () => expect(await list()).toHaveLength(1), PATIENT);
    expect(await noted(store)).toEqual(names);
    expect(await rows(store)).toEqual([]);
    const next = await store.reopen({ objects });
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    await vi.waitFor(async () => expect(await noted(next)).toEqual([]), PATIENT);
  });

  it('keeps no object of a submission that was refused, and lets no record refer to one that is being removed', async () => {
    let store: TestStore | undefined;
    const opened = await open((plain) => ({
      async put(object, bytes, signal) {
        await plain.put(object, bytes, signal);
        // The upload took longer than the time after which its object is removed.
        if (bytes.byteLength === 4) {
          await store?.sqlite.writer.updateTable('object_removals').set({ claimed_at: 'now' }).execute();
        }
      },
    }));
    ({ store } = opened);
    const document = newDocument('one');
    await store.corpus.begin(document);
    await expect(store.corpus.begin(document)).rejects.toMatchObject({ code: 'conflict' });
    await vi.waitFor(async () => expect(await opened.list()).toHaveLength(1), PATIENT);
    await expect(store.corpus.begin(newDocument('slow', { bytes: Buffer.from('slow') }))).rejects.toThrow(/too long/);
    expect(await store.corpus.get(newDocument('slow').id)).toBeUndefined();
    await vi.waitFor(async () => expect(await opened.list()).toHaveLength(1), PATIENT);
    expect(text(await store.corpus.bytesOf(document.id))).toBe('bytes of one');
  });

  it('keeps a note of an object whose upload failed, because it may still arrive', async () => {
    const { store, list } = await open((plain) => ({
      async put(object, bytes, signal) {
        if (object === 'citewell.json') return plain.put(object, bytes, signal);
        throw new Error('the answer was lost');
      },
    }));
    await expect(store.corpus.begin(newDocument('late'))).rejects.toThrow('the answer was lost');
    expect(await list()).toEqual([]);
    const notes = await store.sqlite.reader.selectFrom('object_removals').select('due_at').execute();
    expect(notes).toHaveLength(1);
    expect(Date.parse(notes[0]?.due_at ?? '')).toBeGreaterThan(Date.now());
  });

  it('does not mistake a file for an empty one when its document is removed before it is read', async () => {
    const { store } = await open();
    const document = newDocument('one');
    await ingest(store, document, newChunks(1, 'words'));
    const original = await store.corpus.originalOf(document.id);
    await store.corpus.remove(everything);
    await expect(original?.read()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lets a storage be corrected before anything is stored', async () => {
    const { store, list } = await open();
    const right = s3.open(`test/${++prefixes}`);
    const next = await store.reopen({ objects: right });
    await next.corpus.begin(newDocument('one'));
    expect(await list()).toEqual([]);
    const again = await next.reopen({ objects: right });
    expect(text(await again.corpus.bytesOf(newDocument('one').id))).toBe('bytes of one');
  });

  it('reports an unavailable storage, starts without it, and recovers when it is available again', async () => {
    const { store, objects, list } = await open();
    const document = newDocument('one');
    await ingest(store, document, newChunks(2, 'words'));
    expect(await objects.problem()).toBeUndefined();
    await s3.stop();
    try {
      const refusal = {
        code: 'store_failed',
        message: expect.stringMatching(/s3:\/\/originals\/test.* does not answer/),
      };
      await expect(store.corpus.bytesOf(document.id)).rejects.toMatchObject(refusal);
      await expect(store.corpus.begin(newDocument('two'))).rejects.toMatchObject({
        ...refusal,
        retryAfter: 30,
        publicMessage: expect.stringMatching(/^The storage of the uploaded files.*Search and answers work on/),
      });
      expect(await store.corpus.get(newDocument('two').id)).toBeUndefined();
      const reports: string[] = [];
      const next = await store.reopen({
        objects: s3.open(objects.place.slice(15)),
        report: (message) => reports.push(message),
      });
      expect(reports).toEqual([expect.stringMatching(/does not answer/)]);
      expect(await next.objects?.problem()).toMatch(/does not answer/);
      const found = await next.corpus.searchDocuments({ text: 'one', filter: everything, limit: 1, offset: 0 });
      expect(found.items).toHaveLength(1);
      await next.corpus.remove(everything);
      await s3.start();
      const last = await next.reopen({ objects });
      await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
      await ingest(last, document, newChunks(1, 'words'));
      expect(text(await last.corpus.bytesOf(document.id))).toBe('bytes of one');
    } finally {
      await s3.start();
    }
  });

  it('refuses a database whose originals are elsewhere, and a storage that belongs to another database', async () => {
    const { store, objects } = await open();
    await store.corpus.begin(newDocument('one'));
    await expect(store.reopen({})).rejects.toThrow(
      /are in s3:\/\/originals\/test.*CITEWELL_ORIGINALS is not set: .*migrate originals --to database/,
    );
    const other = s3.open(`test/${++prefixes}`);
    await expect(store.reopen({ objects: other })).rejects.toThrow(
      /leads to s3:\/\/originals\/test.* has no originals/,
    );
    await expect(engine.openTestStore({ objects })).rejects.toThrow(/has the originals of another database/);
    const inDatabase = await engine.openTestStore();
    await inDatabase.corpus.begin(newDocument('one'));
    await expect(inDatabase.reopen({ objects: other })).rejects.toThrow(/in the database.*migrate originals --to s3:/);
    // The same storage at another address is recognised.
    const moved = { ...objects, place: 's3://elsewhere/x' };
    const next = await (await store.reopen({ objects })).reopen({ objects: moved });
    expect(text(await next.corpus.bytesOf(newDocument('one').id))).toBe('bytes of one');
  });
});

describePostgres('servers of one database', () => {
  it('that disagree about the place of the originals are refused', async () => {
    const { s3, open } = await storage();
    const inDatabase = await open();
    await expect(open(s3.open('kb'))).rejects.toThrow(
      /originals in the database, this one in s3:\/\/originals\/kb: set CITEWELL_ORIGINALS to the same value/,
    );
    await inDatabase.close();
    const first = await open(s3.open('kb'));
    await expect(open()).rejects.toThrow(/originals in s3:\/\/originals\/kb, this one in the database: set/);
    await expect(open({ ...s3.open('kb'), place: 's3://copied/kb' })).rejects.toThrow(
      /this one in s3:\/\/copied\/kb: set/,
    );
    const second = await open(s3.open('kb'));
    await first.corpus.begin(newDocument('one'));
    expect(text(await second.corpus.bytesOf(newDocument('one').id))).toBe('bytes of one');
    await second.corpus.remove(everything);
    await vi.waitFor(async () => expect(await s3.list('kb')).toEqual([]), PATIENT);
    await second.close();
    await first.close();
  });

  it('start together on an empty database, and use one storage', async () => {
    const { s3, open } = await storage();
    const servers = await Promise.all([1, 2, 3].map(() => open(s3.open('kb'))));
    const [first, , last] = servers;
    await first?.corpus.begin(newDocument('one'));
    expect(text(await last?.corpus.bytesOf(newDocument('one').id))).toBe('bytes of one');
    await Promise.all(servers.map((each) => each.close()));
    const again = await open(s3.open('kb'));
    expect(text(await again.corpus.bytesOf(newDocument('one').id))).toBe('bytes of one');
    await again.close();
  });

  it('keep what another server records about the schema while they start', async () => {
    const { s3, open } = await storage();
    const objects = s3.open('kb');
    const [running, other] = [await open(objects), await open(objects)];
    const { reader, writer } = running.sqlite;
    const settled = await writer.transaction().execute(async (transaction) => {
      await raiseWorksFrom(transaction, 99);
      const settling = ensurePlace({ writer: other.sqlite.writer, objects });
      await vi.waitFor(async () => {
        const { rows: waiting } = await sql`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
          reader,
        );
        expect(waiting).toHaveLength(1);
      }, PATIENT);
      return { settling };
    });
    await settled.settling;
    const { value } = await reader
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'lowest_schema')
      .executeTakeFirstOrThrow();
    expect(value).toBe('99');
    await other.close();
    await running.close();
  });
});

async function storage() {
  const s3 = await startS3Server(await temporaryFolder());
  onTestFinished(() => s3.stop());
  const url = await postgresDatabase();
  const open = (objects?: ObjectStore) =>
    openPostgresStore({ url, index: memoryVectorIndex(), embeddingText: ({ text: words }) => words, objects });
  return { s3, open };
}
