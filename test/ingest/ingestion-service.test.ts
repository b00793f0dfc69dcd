import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { everything } from '../../src/documents/filter.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { openAiEmbeddings } from '../../src/embeddings/openai-embeddings.ts';
import { ServiceError } from '../../src/errors.ts';
import { pauseBefore, type TryPolicy } from '../../src/ingest/failure-kind.ts';
import type { FollowedEvent } from '../../src/ingest/follow-ingestion.ts';
import { createIngestor } from '../../src/ingest/ingest-document.ts';
import { createIngestionFeed } from '../../src/ingest/ingestion-feed.ts';
import { createIngestionService } from '../../src/ingest/ingestion-service.ts';
import type { Submission } from '../../src/ingest/ingestor.ts';
import { createSharedIngestionFeed } from '../../src/ingest/shared-ingestion-feed.ts';
import { createQueueWorkers } from '../../src/ingest/work-queue.ts';
import { openAiClient } from '../../src/models/openai/openai-provider.ts';
import { ProviderError } from '../../src/models/provider-error.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openAiProvider } from '../models/support.ts';
import { describeEngines, describePostgres, type Engine, postgresDatabase } from '../support/engines.ts';
import { openAiError, startFakeOpenAi } from '../support/fake-openai.ts';
import { brokenConnection } from '../support/fake-provider.ts';
import { PATIENT } from '../support/patience.ts';
import { sharedReaders } from '../support/shared-readers.ts';
import {
  asTestStore,
  embeddingText,
  newChunks,
  newDocument,
  publication,
  type TestStore,
  testSpace,
} from '../support/store.ts';

/** Longer time-outs for busy machines. */

const always = new AbortController().signal;
const quick: TryPolicy = { tries: 4, readerTries: 3, firstPauseMs: 10, maxPauseMs: 40 };

const text = (content: string, change: Partial<Submission> = {}): Submission => ({
  ownerId: defaultAdmin.userId,
  metadata: {},
  collectionIds: [],
  settings: {},
  content: { kind: 'text', text: content },
  ...change,
});

const away = () => new ProviderError('provider_failed', 'The embedder is away.', 'retry');

async function found<T>(value: Promise<T | undefined>): Promise<T> {
  const there = await value;
  if (there === undefined) throw new Error('It is not there.');
  return there;
}

/** `onEmbed` can wait or throw, before each call. */
function embedder(onEmbed: (text: string) => Promise<void> = async () => {}): EmbeddingModel {
  return {
    name: testSpace.embedder,
    isLexical: true,
    space: async () => testSpace,
    async embed(texts, _kind, signal) {
      await onEmbed(texts.join(' '));
      signal?.throwIfAborted();
      return texts.map((each) => Float32Array.of(Math.cos(each.length), Math.sin(each.length), 0, 0));
    },
  };
}

async function openService(
  engine: Engine,
  options: { store?: TestStore; embeddings?: EmbeddingModel; concurrency?: number } = {},
) {
  const store = options.store ?? (await engine.openTestStore());
  const { queue, corpus } = store;
  const { sharedState } = store;
  const feed = sharedState ? createSharedIngestionFeed(sharedState.ingestions, () => {}) : createIngestionFeed();
  const readers = sharedReaders();
  const ingestor = createIngestor({ ...store, readers, embeddings: options.embeddings ?? embedder(), feed });
  const reported: string[] = [];
  const service = createIngestionService({
    queue,
    ingestor,
    feed,
    policy: quick,
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    report: (message) => reported.push(message),
  });
  onTestFinished(async () => {
    await service.close();
    await feed.close();
  });
  const submit = async (submission: Submission) => {
    const { document } = await ingestor.submit(submission, { queued: true });
    service.wakeUp();
    return document;
  };
  const end = async (id: string) => {
    await expect.poll(async () => (await queue.ofDocument(id))?.state, PATIENT).toMatch(/succeeded|failed|cancelled/);
    return { task: await queue.ofDocument(id), document: await corpus.get(id) };
  };
  return { store, corpus, queue, ingestor, service, submit, end, reported };
}

describeEngines('A queued submission', (engine) => {
  it('is ingested without a waiting client', async () => {
    const { queue, submit, end, service } = await openService(engine);
    const { id } = await submit(text('Some words.'));
    expect(await end(id)).toMatchObject({
      task: { state: 'succeeded', tries: 1, attempt: 1, lastError: null },
      document: { ingestionStatus: 'success' },
    });
    await service.idle();
    expect(await queue.backlog()).toMatchObject({ queued: 0, running: 0, failed: 0, etaSeconds: 0 });
  });

  it('is retried when the embedder is down, and loses no document', async () => {
    let calls = 0;
    const embeddings = embedder(async () => {
      calls++;
      if (calls <= 2) throw away();
    });
    const { submit, end } = await openService(engine, { embeddings });
    const { id } = await submit(text('Some words.'));
    expect(await end(id)).toMatchObject({
      task: { state: 'succeeded', tries: 3 },
      document: { ingestionStatus: 'success', failure: null },
    });
  });

  it('fails with the reason after the last retry, and is tried again on request', async () => {
    let isAway = true;
    const embeddings = embedder(async () => {
      if (isAway) throw away();
    });
    const { submit, end, service } = await openService(engine, { embeddings });
    const { id } = await submit(text('Some words.'));
    expect(await end(id)).toMatchObject({
      task: { state: 'failed', tries: quick.tries, lastError: 'The embedder is away.' },
      document: { ingestionStatus: 'failed', failure: 'The embedder is away.' },
    });
    isAway = false;
    expect(await service.retryFailed(everything)).toBe(1);
    expect(await end(id)).toMatchObject({ task: { state: 'succeeded' }, document: { failure: null } });
    expect(await service.retryFailed(everything)).toBe(0);
  });

  it('is retried when an embedding server fails, and embedded when it is back', async () => {
    const fake = await startFakeOpenAi();
    onTestFinished(() => fake.close());
    const provider = openAiProvider(fake.baseUrl);
    const embeddings = openAiEmbeddings({
      provider,
      client: openAiClient(provider),
      model: 'some-embedder',
      dimensions: 4,
      retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 10 },
    });
    const store = await engine.openTestStore();
    await Array.fromAsync(store.spaces.reindex(embeddings, always));
    const { submit, end } = await openService(engine, { store, embeddings });
    fake.next(openAiError(503, 'Overloaded.'), openAiError(429, 'Slow down.'), brokenConnection);
    const { id } = await submit(text('Some words.'));
    expect(await end(id)).toMatchObject({ task: { state: 'succeeded', tries: 4 } });
    expect(fake.unplayed).toBe(0);
  });

  it('is retried after a database outage that also prevented its requeueing', async () => {
    const store = await engine.openTestStore();
    const away = () => new ServiceError('store_failed', 'The database does not answer.');
    let calls = 0;
    const failing = <Args extends unknown[]>(call: (...args: Args) => Promise<void>) => {
      return (...args: Args) => (++calls <= 4 ? Promise.reject(away()) : call(...args));
    };
    const { postpone, release } = store.queue;
    const queue = { ...store.queue, postpone: failing(postpone), release: failing(release) };
    const embeddings = embedder(async () => {
      if (calls === 0) throw away();
    });
    const { submit, end } = await openService(engine, { store: { ...store, queue }, embeddings });
    const { id } = await submit(text('Some words.'));
    expect(await end(id)).toMatchObject({ task: { state: 'succeeded' } });
  });

  it('that cannot be read is not retried', async () => {
    const { submit, end } = await openService(engine);
    const content = { kind: 'file', fileName: 'a.json', bytes: Buffer.from('{"a":') } as const;
    const { id } = await submit(text('', { content }));
    expect(await end(id)).toMatchObject({
      task: { state: 'failed', tries: 1, lastError: expect.stringMatching(/not valid JSON/) },
    });
  });

  it('does not use up the retries of others while the embedder is down', async () => {
    let isAway = true;
    let calls = 0;
    const embeddings = embedder(async () => {
      calls++;
      if (isAway) throw away();
    });
    const { submit, service, store } = await openService(engine, { embeddings });
    for (let number = 0; number < 10; number++) await submit(text(`Document number ${number}.`));
    await expect.poll(() => calls, PATIENT).toBeGreaterThan(3);
    isAway = false;
    await expect.poll(async () => (await store.queue.backlog()).queued, PATIENT).toBe(0);
    await service.idle();
    const { documents } = await store.corpus.stats();
    expect(documents.success + documents.failed).toBe(10);
    expect(documents.success).toBeGreaterThanOrEqual(9);
  });
});

describeEngines('A task', (engine) => {
  it('is cancelled while it waits and while it runs', async () => {
    let isHeld = true;
    const embeddings = embedder(async () => {
      while (isHeld) await wait(5);
    });
    const { submit, service, queue, corpus, end } = await openService(engine, { embeddings, concurrency: 1 });
    const working = await submit(text('The first.'));
    const waiting = await submit(text('The second.'));
    await expect.poll(async () => (await queue.ofDocument(working.id))?.state, PATIENT).toBe('running');
    for (const { id } of [waiting, working]) {
      const task = await found(queue.ofDocument(id));
      const cancelling = service.cancel(task);
      if (id === working.id) isHeld = false;
      expect(await cancelling).toMatchObject({ state: 'cancelled', lastError: 'The ingestion was cancelled.' });
      expect(await corpus.get(id)).toMatchObject({
        ingestionStatus: 'failed',
        failure: 'The ingestion was cancelled.',
        failureRemedy: 'retry',
      });
      await expect(service.cancel(task)).rejects.toMatchObject({ code: 'conflict' });
    }
    const again = await found(queue.ofDocument(waiting.id));
    await service.retry(again);
    expect(await end(waiting.id)).toMatchObject({ task: { state: 'succeeded' } });
    await expect(service.retry(again)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('of an earlier submission ends without further work', async () => {
    const { queue, corpus } = await engine.openTestStore();
    const document = newDocument('one');
    await corpus.begin(document, { queued: true });
    const first = await found(queue.take({ alone: false }));
    await corpus.begin({ ...document, bytes: Buffer.from('later words') }, { replace: true, queued: true });
    expect(await queue.get(first.id)).toMatchObject({ state: 'cancelled', attempt: 1 });

    // The later submission has already staged chunks, which could be mistaken for those of the first.
    await corpus.stage(document.id, newChunks(2), { attempt: 2 });
    const conflict = { code: 'conflict' };
    await expect(corpus.setStatus(document.id, 'storing', 1)).rejects.toMatchObject(conflict);
    await expect(corpus.stage(document.id, newChunks(2), { attempt: 1 })).rejects.toMatchObject(conflict);
    await expect(corpus.publish(document.id, publication('text', { attempt: 1 }))).rejects.toMatchObject(conflict);
    await expect(corpus.fail(document.id, { reason: 'Not read.', remedy: 'file' }, 1)).rejects.toMatchObject(conflict);
    expect(await queue.ofDocument(document.id)).toMatchObject({ state: 'queued', attempt: 2 });
    await corpus.publish(document.id, publication('text', { attempt: 2 }));
    expect(await queue.ofDocument(document.id)).toMatchObject({ state: 'succeeded' });
  });

  it('is deleted with its document', async () => {
    const { queue, corpus } = await engine.openTestStore();
    const { id } = await corpus.begin(newDocument('one'), { queued: true });
    const task = await queue.ofDocument(id);
    expect(await queue.get(task?.id ?? '')).toMatchObject({ id: task?.id });
    await corpus.remove(everything);
    expect(await queue.get(task?.id ?? '')).toBeUndefined();
    expect(await queue.take({ alone: true })).toBeUndefined();
  });

  it('runs in order of priority, then age', async () => {
    const { queue, corpus, sqlite } = await engine.openTestStore();
    for (const name of ['one', 'two', 'three']) await corpus.begin(newDocument(name), { queued: true });
    const urgent = await queue.ofDocument(newDocument('three').id);
    await sqlite.writer
      .updateTable('ingestion_tasks')
      .set({ priority: 5 })
      .where('id', '=', urgent?.id ?? '')
      .execute();
    const taken: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn++) taken.push((await queue.take({ alone: false }))?.documentId);
    expect(taken).toEqual([...['three', 'one', 'two'].map((name) => newDocument(name).id), undefined]);
    const { items, total } = await queue.list({ filter: everything, states: ['running'] }, { offset: 1, limit: 1 });
    expect({ total, documents: items.map(({ documentId }) => documentId) }).toEqual({
      total: 3,
      documents: [newDocument('two').id],
    });
  });
});

describeEngines('A process that ends during ingestion', (engine) => {
  it('leaves its tasks to the next process, which finishes them', async () => {
    const store = await engine.openTestStore();
    for (const name of ['one', 'two', 'three']) await store.corpus.begin(newDocument(name), { queued: true });
    await store.queue.take({ alone: false });
    await store.corpus.begin(newDocument('held by its caller'));
    const next = await store.reopen();
    expect(await next.queue.backlog()).toMatchObject({ queued: 4, running: 0 });
    const { service } = await openService(engine, { store: next });
    service.wakeUp();
    await service.idle();
    expect((await next.corpus.stats()).documents).toMatchObject({ success: 4 });
  });

  it('leaves a task that must run alone, which a constantly busy worker still gets to', async () => {
    const { queue, corpus, sqlite } = await engine.openTestStore();
    const begun: string[] = [];
    const releases = new Map<string, () => void>();
    const run = async function* (id: string) {
      begun.push(id);
      yield { type: 'status', status: 'parsing' } as const;
      await new Promise<void>((resolve) => releases.set(id, resolve));
      await corpus.fail(id, { reason: 'Not wanted.', remedy: 'file' });
    };
    const parts = { ingestor: { run }, concurrency: 2, policy: quick, aloneAfterMs: 0, report: () => {} };
    const workers = createQueueWorkers({ queue, ...parts });
    onTestFinished(async () => {
      for (const end of releases.values()) end();
      await workers.close();
    });
    const add = async (name: string) => (await corpus.begin(newDocument(name), { queued: true })).id;
    const [one, two] = [await add('one'), await add('two')];
    workers.wakeUp();
    await expect.poll(() => begun, PATIENT).toEqual([one, two]);
    const [, poison] = [await add('three'), await add('poison')];
    await sqlite.writer
      .updateTable('ingestion_tasks')
      .set({ crashes: 1 })
      .where('id', '=', (await queue.ofDocument(poison))?.id ?? '')
      .execute();
    for (const id of [one, two]) {
      releases.get(id)?.();
      await expect.poll(async () => (await queue.ofDocument(id))?.state, PATIENT).toBe('failed');
    }
    await expect.poll(() => begun, PATIENT).toEqual([one, two, poison]);
  });

  it('each time on the same document makes that document fail, and the others succeed', async () => {
    let store = await engine.openTestStore();
    const poison = await store.corpus.begin(newDocument('poison'), { queued: true });
    await store.corpus.begin(newDocument('beside it'), { queued: true });
    for (let start = 1; start <= 3; start++) {
      // Both were running when the process ended; from then on they are taken one at a time.
      const first = await store.queue.take({ alone: true });
      expect(first?.documentId).toBe(poison.id);
      const second = await store.queue.take({ alone: false });
      expect(second === undefined).toBe(start > 1);
      store = await store.reopen();
    }
    expect(await store.queue.ofDocument(poison.id)).toMatchObject({
      state: 'failed',
      lastError: expect.stringMatching(/crashed 3 times while ingesting this document/),
    });
    const { service } = await openService(engine, { store });
    service.wakeUp();
    await service.idle();
    expect((await store.corpus.stats()).documents).toMatchObject({ success: 1, failed: 1 });
  });
});

describeEngines('A follower of an ingestion', (engine) => {
  const names = async (events: AsyncIterable<{ event: { type: string } }>) =>
    (await Array.fromAsync(events)).map(({ event }) => event.type);

  it('receives all events from the beginning, and can resume', async () => {
    const { submit, service, corpus, end } = await openService(engine);
    const document = await submit(text('Some words.'));
    const seen = await Array.fromAsync(service.follow(document, undefined, always));
    expect(seen.at(-1)?.event).toMatchObject({ type: 'done', document: { chunkCount: 1 } });
    await end(document.id);
    const settled = (await corpus.get(document.id)) ?? document;
    const again = await Array.fromAsync(service.follow(settled, undefined, always));
    expect(again.map(({ event }) => event.type)).toEqual(['status', 'status', 'progress', 'status', 'status', 'done']);
    const place = again[2]?.id;
    expect(await names(service.follow(settled, place, always))).toEqual(['status', 'status', 'done']);
    expect(await names(service.follow(settled, 'of another process:3', always))).toHaveLength(6);
  });

  it('receives events of failed attempts', async () => {
    let calls = 0;
    const { submit, service } = await openService(engine, {
      embeddings: embedder(async () => {
        calls++;
        if (calls === 1) throw away();
      }),
    });
    const document = await submit(text('Some words.'));
    expect(await names(service.follow(document, undefined, always))).toContain('postponed');
  });

  it('learns the end from the records when it missed the event', async () => {
    const { corpus, service, queue } = await openService(engine);
    const document = await corpus.begin(newDocument('one'), { queued: true });
    const task = await queue.ofDocument(document.id);
    await queue.cancel(task?.id ?? '', 'Not wanted.');
    expect(await names(service.follow(document, undefined, always))).toEqual(['status', 'cancelled']);
    await corpus.begin(newDocument('one'), { replace: true, queued: true });
    expect(await names(service.follow(document, undefined, always))).toEqual(['status', 'cancelled']);
    await corpus.remove(everything);
    expect(await names(service.follow(document, undefined, always))).toEqual(['status', 'cancelled']);
  });
});

describePostgres('An upload that a request waits for', () => {
  it('is left to the queue after a database outage, also one that prevents returning its task', async () => {
    const url = await postgresDatabase();
    const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 1 });
    onTestFinished(() => store.close());
    const away = () => new ServiceError('store_failed', 'The database does not answer.');
    const release = vi.fn(store.queue.release).mockRejectedValueOnce(away());
    const refused = () => Promise.reject(away());
    const corpus = { ...store.corpus, stage: refused, publish: refused, fail: refused };
    const parts = { readers: sharedReaders(), embeddings: embedder() };
    const ingestor = createIngestor({ ...store, ...parts, corpus, queue: { ...store.queue, release } });
    const { document } = await ingestor.submit(text('Some words.'));
    await expect(Array.fromAsync(ingestor.run(document.id, always))).rejects.toThrow('does not answer');
    await expect.poll(async () => (await store.queue.ofDocument(document.id))?.state, PATIENT).toBe('queued');
  });
});

describePostgres('A follower of an ingestion on another server', () => {
  const open = async (url: string, embeddings: EmbeddingModel) => {
    const index = memoryVectorIndex();
    const opened = await openPostgresStore({ url, index, embeddingText, readers: 1 });
    const store = await asTestStore(opened, { path: url, index, reopen: () => Promise.reject(new Error('not here')) });
    return openService({ name: 'PostgreSQL', openTestStore: async () => store }, { store, embeddings });
  };

  it('receives the same events as one on the server that works on it, and can resume there', async () => {
    const url = await postgresDatabase();
    const resume = Promise.withResolvers<void>();
    const one = await open(
      url,
      embedder(() => resume.promise),
    );
    const two = await open(url, embedder());
    const document = await one.submit(text('Some words.'));
    const onTwo = two.service.follow(document, undefined, always);
    const received: FollowedEvent[] = [];
    const takeOne = async () => {
      const { value } = await onTwo.next();
      if (value !== undefined && value.id !== undefined) received.push(value);
      return value?.event;
    };
    await expect.poll(takeOne, PATIENT).toEqual({ type: 'status', status: 'embedding' });
    await onTwo.return();
    const rest = Array.fromAsync(one.service.follow(document, received.at(-1)?.id, always));
    resume.resolve();
    received.push(...(await rest));
    const types = ['status', 'status', 'progress', 'status', 'status', 'done'];
    expect(received.map(({ event }) => event.type)).toEqual(types);
    expect(received.at(-1)?.event).toMatchObject({ type: 'done', document: { chunkCount: 1 } });
    const again = await Array.fromAsync(two.service.follow(document, undefined, always));
    expect(again.map(({ id }) => id)).toEqual(received.map(({ id }) => id));
  });

  it('receives events of the server that took the document over', async () => {
    const url = await postgresDatabase();
    const stuck = Promise.withResolvers<void>();
    const one = await open(
      url,
      embedder(() => stuck.promise),
    );
    onTestFinished(() => stuck.resolve());
    const two = await open(url, embedder());
    const document = await one.submit(text('Some words.'));
    const following = Array.fromAsync(two.service.follow(document, undefined, always));
    await expect.poll(async () => (await two.corpus.get(document.id))?.ingestionStatus, PATIENT).toBe('embedding');
    const { writer } = two.store.sqlite;
    await sql`update ingestion_tasks set state = 'queued' where state = 'running'`.execute(writer);
    two.service.wakeUp();
    expect((await following).at(-1)?.event).toMatchObject({ type: 'done' });
  });
});

describe('the retry delay', () => {
  const policy: TryPolicy = { tries: 5, readerTries: 2, firstPauseMs: 100, maxPauseMs: 1_000 };
  const pause = (error: unknown, tries: number, random = 1) =>
    pauseBefore(error, { tries, policy, random: () => random });

  it('doubles up to a limit, with jitter, and a last attempt', () => {
    expect([1, 2, 3, 4].map((tries) => pause(away(), tries))).toEqual([100, 200, 400, 800]);
    expect(pause(away(), 4, 0)).toBe(400);
    expect(pause(away(), 5)).toBeUndefined();
  });

  it('is as long as the provider asks', () => {
    const asked = new ProviderError('rate_limited', 'Too many.', 'retry', { retryAfter: 0.7 });
    expect(pause(asked, 1)).toBe(700);
  });

  it('applies to transient failures only', () => {
    expect(pause(new ServiceError('store_failed', 'The database is busy.'), 1)).toBe(100);
    expect(pause(new ServiceError('invalid_request', 'Not a PDF.'), 1)).toBeUndefined();
    expect(pause(new ProviderError('provider_failed', 'No such model.', 'none'), 1)).toBeUndefined();
  });
});
