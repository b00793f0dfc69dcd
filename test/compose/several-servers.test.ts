import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { Adapters } from '../../src/compose/adapters.ts';
import { compose } from '../../src/compose/compose.ts';
import type { Services } from '../../src/compose/services.ts';
import type { Document } from '../../src/documents/document.ts';
import { newId } from '../../src/documents/ids.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { type MemoryVectorIndex, memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import type { CorpusEvent } from '../../src/store/watch-corpus.ts';
import { adaptersOver, onlyEmbedder, testSettings } from '../support/adapters.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { embeddingText } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const owner = defaultAdmin;

async function startServer(url: string, index: MemoryVectorIndex, change: Partial<Adapters> = {}): Promise<Services> {
  const store = await openPostgresStore({ url, index, embeddingText, readers: 2 });
  const adapters = adaptersOver({ ...store, index }, { close: store.close, ...change });
  const services = await compose(adapters).start({ resumes: true });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= services.close();
    return closed;
  };
  onTestFinished(close);
  return { ...services, close };
}

async function startTwo(changeOfFirst: Partial<Adapters> = {}) {
  const url = await postgresDatabase();
  const index = memoryVectorIndex();
  return [await startServer(url, index, changeOfFirst), await startServer(url, index)] as const;
}

const submission = (text: string) => ({
  ownerId: owner.userId,
  collectionIds: [],
  content: { kind: 'text' as const, text },
  metadata: {},
  settings: {},
});

/** Preparation that begins and ends only when it is cancelled. */
function endless() {
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const { readers } = adaptersOver({} as never);
  const prepare: Adapters['readers']['prepare'] = (_job, signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        cancelled.resolve();
        reject(signal.reason);
      });
    });
  };
  return { readers: { ...readers, prepare }, begun: begun.promise, cancelled: cancelled.promise };
}

describePostgres('A server', () => {
  it('is refused with an embedder other than that of the stored vectors', async () => {
    const [url, index] = [await postgresDatabase(), memoryVectorIndex()];
    const one = await startServer(url, index);
    const { document } = await one.ingestor.submit(submission('Otters hold hands while they sleep.'));
    for await (const _ of one.ingestor.run(document.id, new AbortController().signal));
    const other = { ...createLexicalHash(), name: 'test/other' };
    const space = async () => ({ embedder: other.name, version: '1', dimensions: 8 });
    const second = startServer(url, index, { embedders: onlyEmbedder({ ...other, space }) });
    await expect(second).rejects.toMatchObject({ code: 'embedding_mismatch' });
    await expect(second).rejects.toThrow(/embedded with builtin\/lexical-hash-v1.*citewell reindex/s);
  });
});

describePostgres('Two servers', () => {
  it('are notified of documents that the other one publishes, changes and removes', async () => {
    const [one, other] = await startTwo();
    const received: CorpusEvent[] = [];
    one.changes.subscribe((event) => received.push(event));
    const { document } = await other.ingestor.submit(submission('Otters hold hands while they sleep.'));
    for await (const _ of other.ingestor.run(document.id, new AbortController().signal));
    await other.corpus.setMetadata(document.id, { topic: 'otters' }, 'merge');
    await other.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: document.id });
    await vi.waitFor(() => expect(received.map(({ kind }) => kind)).toContain('removed'), PATIENT);
    const own = received.filter(({ documentId }) => documentId === document.id).map(({ kind }) => kind);
    expect([...new Set(own)]).toEqual(['published', 'changed', 'removed']);
    expect(own.filter((kind) => kind !== 'changed')).toEqual(['published', 'removed']);
  });

  it('use a prompt that the other one changed', async () => {
    const [one, other] = await startTwo();
    await other.prompts.create({ name: 'greeting', template: 'Good day.' });
    await vi.waitFor(() => expect(one.prompts.get('greeting').template).toBe('Good day.'), PATIENT);
  });

  it('process tasks that were queued on the other one', async () => {
    const [one, other] = await startTwo();
    await one.ingestions.idle();
    await other.ingestions.close();
    const { document } = await other.ingestor.submit(submission('Herons stand on one leg.'), { queued: true });
    await vi.waitFor(async () => {
      expect(await one.corpus.get(document.id)).toMatchObject({ ingestionStatus: 'success' });
    }, PATIENT);
  });

  it('stop processing an upload that is cancelled on the other one', async () => {
    const work = endless();
    const [one, other] = await startTwo({ readers: work.readers });
    await other.ingestions.close();
    const { document } = await one.ingestor.submit(submission('Nobody needs this.'), { queued: true });
    one.ingestions.wakeUp();
    await work.begun;
    const task = await other.queue.ofDocument(document.id);
    if (task === undefined) throw new Error('The submission has a task.');
    await other.ingestions.cancel(task);
    await work.cancelled;
    await vi.waitFor(async () => {
      expect(await one.queue.get(task.id)).toMatchObject({
        state: 'cancelled',
        lastError: 'The ingestion was cancelled.',
      });
    }, PATIENT);
    expect(await other.corpus.get(document.id)).toMatchObject({ ingestionStatus: 'failed' });
  });

  it('accept concurrent submissions of one document, of which the last is published completely', async () => {
    const [one, other] = await startTwo();
    const id = newId();
    const submit = async (server: Services, word: string) => {
      const text = Array.from({ length: 400 }, (_, number) => `${word} number ${number} is here.`).join('\n\n');
      const { document } = await server.ingestor.submit({ ...submission(text), id, replace: true }, { queued: true });
      server.ingestions.wakeUp();
      return document;
    };
    for (const pair of [
      [one, other],
      [other, one],
      [one, other],
    ] as const) {
      const documents = await Promise.all([submit(pair[0], 'Otter'), submit(pair[1], 'Heron')]);
      const ends = documents.map((document, index) => endOf(pair[index] as Services, document));
      const last = Math.max(...documents.map(({ ingestionAttempt }) => ingestionAttempt));
      for (const [index, end] of (await Promise.all(ends)).entries()) {
        // The earlier one may be done before the later one comes.
        expect(documents[index]?.ingestionAttempt === last ? ['done'] : ['done', 'cancelled']).toContain(end);
      }
      const word = documents[0]?.ingestionAttempt === last ? 'Otter' : 'Heron';
      const { items, total } = await one.corpus.chunksOf(id, { offset: 0, limit: 1_000 });
      expect(items).toHaveLength(total);
      expect(items.filter(({ text }) => !text.startsWith(word))).toEqual([]);
    }
  });
});

async function endOf({ ingestions }: Services, document: Document): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { event } of ingestions.follow(document, undefined, AbortSignal.timeout(PATIENT.timeout)))
    last = event.type;
  return last;
}

describePostgres('Sources that are followed by several servers', () => {
  it('are followed by the leader, wherever they were added, and by the next leader when it ends', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'otters.txt'), 'Otters hold hands while they sleep.');
    const settings = { ...testSettings, allowedFolders: [folder] };
    const url = await postgresDatabase();
    const index = memoryVectorIndex();
    const first = await startServer(url, index, { settings });
    const second = await startServer(url, index, { settings });

    const { id } = await second.followed.add({
      location: { kind: 'folder', path: folder, keepDeleted: true },
      owner,
      collectionIds: async () => [],
      isTried: false,
    });
    await vi.waitFor(async () => expect(await statesIn(first)).toEqual([[id, 'following']]), PATIENT);
    await vi.waitFor(async () => expect(await statesIn(second)).toEqual([[id, 'following']]), PATIENT);
    expect((await second.followed.list())[0]?.lastSync).toMatchObject({ counts: { ingested: 1 } });

    const lastStart = async () => (await first.followed.list())[0]?.lastSync?.startedAt;
    /** Waits until the server has begun to follow the folder again, and has been through it. */
    const followedAgain = (server: Services, since: string | undefined) =>
      vi.waitFor(async () => {
        const [source] = await server.followed.list();
        expect(source).toMatchObject({ state: 'following' });
        expect(source?.lastSync?.startedAt).not.toBe(since);
        return source;
      }, PATIENT);
    const begun = await lastStart();
    await second.followed.sync(id);
    await followedAgain(second, begun);

    // What is changed on a server that does not follow is taken up by the one that does.
    const beforeChange = await lastStart();
    await second.followed.change(id, { keepDeleted: false }, { isTried: true });
    // A folder that is empty when following begins may be an unmounted one, so that nothing would be removed.
    expect(await followedAgain(first, beforeChange)).toMatchObject({ location: { keepDeleted: false } });
    await rm(join(folder, 'otters.txt'));
    await vi.waitFor(async () => expect((await second.corpus.stats()).documents['success'] ?? 0).toBe(0), PATIENT);
    await writeFile(join(folder, 'otters.txt'), 'Otters hold hands while they sleep.');
    await vi.waitFor(
      async () => expect((await second.corpus.stats()).documents).toMatchObject({ success: 1 }),
      PATIENT,
    );

    await first.close();
    await writeFile(join(folder, 'herons.txt'), 'Herons stand on one leg.');
    await vi.waitFor(async () => {
      expect((await second.corpus.stats()).documents).toMatchObject({ success: 2 });
    }, PATIENT);
    await second.followed.remove(id);
    expect(await second.followed.list()).toEqual([]);
  });

  it('are left to the servers by a command that opens the database', async () => {
    const url = await postgresDatabase();
    const index = memoryVectorIndex();
    const store = await openPostgresStore({ url, index, embeddingText, readers: 2 });
    const command = await compose(adaptersOver({ ...store, index }, { close: store.close })).start();
    onTestFinished(command.close);
    const server = await openPostgresStore({ url, index, embeddingText, readers: 2 });
    onTestFinished(server.close);
    await vi.waitFor(() => expect(server.others?.isLeader()).toBe(true), PATIENT);
    expect(store.others?.isLeader()).toBe(false);
  });

  it('are no longer followed by a server that lost leadership, nor after their removal on another one', async () => {
    const folder = await temporaryFolder();
    const settings = { ...testSettings, allowedFolders: [folder] };
    const [first, second] = await startTwo({ settings });
    const { id } = await first.followed.add({
      location: { kind: 'folder', path: folder, keepDeleted: true },
      owner,
      collectionIds: async () => [],
      isTried: false,
    });
    await vi.waitFor(async () => expect(await statesIn(first)).toEqual([[id, 'following']]), PATIENT);
    first.followed.pause();
    await writeFile(join(folder, 'herons.txt'), 'Herons stand on one leg.');
    await sleep(1_000);
    expect((await first.corpus.stats()).documents).toMatchObject({ success: 0 });
    first.followed.start();
    await vi.waitFor(async () => {
      expect((await first.corpus.stats()).documents).toMatchObject({ success: 1 });
    }, PATIENT);
    await second.followed.remove(id);
    await vi.waitFor(async () => expect(await statesIn(first)).toEqual([]), PATIENT);
    await writeFile(join(folder, 'otters.txt'), 'Otters hold hands while they sleep.');
    await sleep(1_000);
    expect((await first.corpus.stats()).documents).toMatchObject({ success: 1 });
  });
});

const statesIn = async ({ followed }: Services) => (await followed.list()).map(({ id, state }) => [id, state]);
