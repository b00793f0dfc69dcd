import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { FailureRemedy } from '../../src/documents/document.ts';
import { defaultCollectionId } from '../../src/documents/ids.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { createIngestor } from '../../src/ingest/ingest-document.ts';
import type { IngestEvent, Ingestor, Submission } from '../../src/ingest/ingestor.ts';
import { createPreparationWorkers, type PreparationSettings } from '../../src/ingest/prepare-in-worker.ts';
import type { Corpus } from '../../src/store/corpus.ts';
import { descendantsOf } from '../support/descendants.ts';
import { describeEngines } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { endlessMarkdown } from '../support/preparation-jobs.ts';
import { sharedReaders } from '../support/shared-readers.ts';
import { type TestStore, testSpace } from '../support/store.ts';
import { makePdf } from './make-pdf.ts';
import { makePng } from './make-pictures.ts';

const ownerId = defaultAdmin.userId;
const always = new AbortController().signal;

interface TestEmbedder extends EmbeddingModel {
  readonly seen: string[];
}

/** An embedder that records its inputs; `onEmbed` can wait or throw. */
function testEmbedder(onEmbed: () => Promise<void> = async () => {}): TestEmbedder {
  const seen: string[] = [];
  return {
    name: testSpace.embedder,
    isLexical: true,
    seen,
    space: async () => testSpace,
    async embed(texts, _kind, signal) {
      await onEmbed();
      signal?.throwIfAborted();
      seen.push(...texts);
      return texts.map((text) => Float32Array.of(Math.cos(text.length), Math.sin(text.length), 0, 0));
    },
  };
}

const defaults = { ownerId, metadata: {}, collectionIds: [], settings: {} } as const;
const file = (fileName: string, content: string | Uint8Array, change: Partial<Submission> = {}): Submission => ({
  ...defaults,
  content: { kind: 'file', fileName, bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content },
  ...change,
});
const text = (content: string, change: Partial<Submission> = {}): Submission => ({
  ...defaults,
  content: { kind: 'text', text: content },
  ...change,
});

async function ingest(ingestor: Ingestor, submission: Submission): Promise<IngestEvent[]> {
  const { document } = await ingestor.submit(submission);
  return Array.fromAsync(ingestor.run(document.id, always));
}

const kinds = (events: readonly IngestEvent[]): string[] =>
  events.map((event) => (event.type === 'status' ? event.status : event.type));

async function documentOf(ingestor: Ingestor, submission: Submission) {
  const last = (await ingest(ingestor, submission)).at(-1);
  if (last?.type !== 'done') throw new Error(`not ingested: ${JSON.stringify(last)}`);
  return last.document;
}

describeEngines('An ingestor', (engine) => {
  async function openIngestor(
    options: {
      embeddings?: EmbeddingModel;
      store?: TestStore;
      reading?: Partial<PreparationSettings>;
      documents?: number;
    } = {},
  ) {
    const store = options.store ?? (await engine.openTestStore());
    const embeddings = options.embeddings ?? testEmbedder();
    const readers = options.reading === undefined ? sharedReaders() : createPreparationWorkers(options.reading);
    onTestFinished(() => readers.close());
    const { documents = 4 } = options;
    const ingestor = createIngestor({ ...store, readers, embeddings, documents });
    return { store, ingestor };
  }

  describe('ingesting', () => {
    it('goes through the stages of the contract and publishes the chunks', async () => {
      const { store, ingestor } = await openIngestor();
      const events = await ingest(ingestor, file('guide.md', '# Guide\n\nBoats leave at nine.\n'));
      expect(kinds(events)).toEqual(['parsing', 'embedding', 'progress', 'storing', 'success', 'done']);
      const [document] = (await store.corpus.list({ kind: 'all' }, { offset: 0, limit: 9 })).items;
      expect(document).toMatchObject({
        type: 'md',
        title: 'guide.md',
        ingestionStatus: 'success',
        chunkCount: 1,
        summary: expect.stringContaining('Boats leave at nine.'),
        collectionIds: [defaultCollectionId(ownerId)],
      });
      const { items } = await store.corpus.chunksOf(document?.id ?? '', { offset: 0, limit: 9 });
      expect(items[0]).toMatchObject({ text: '# Guide\n\nBoats leave at nine.', start: 0, headingPath: ['Guide'] });
    });

    it('writes a document of few chunks in four transactions', async () => {
      const store = await engine.openTestStore();
      const written: string[] = [];
      const noting = <Name extends 'begin' | 'setStatus' | 'keep' | 'stage' | 'publish'>(name: Name): Corpus[Name] =>
        ((...args: Parameters<Corpus[Name]>) => {
          written.push(name);
          return (store.corpus[name] as (...given: typeof args) => unknown)(...args);
        }) as Corpus[Name];
      const corpus = {
        ...store.corpus,
        begin: noting('begin'),
        setStatus: noting('setStatus'),
        keep: noting('keep'),
        stage: noting('stage'),
        publish: noting('publish'),
      };
      const { ingestor } = await openIngestor({ store: { ...store, corpus } });
      const document = await documentOf(ingestor, file('guide.md', '# Guide\n\nBoats leave at nine.\n'));
      expect(written).toEqual(['begin', 'setStatus', 'keep', 'publish']);
      expect(document).toMatchObject({ chunkCount: 1, ingestionStatus: 'success' });
    });

    it('embeds title and headings with a chunk, and stores its text alone', async () => {
      const embeddings = testEmbedder();
      const { store, ingestor } = await openIngestor({ embeddings });
      const filler = 'The harbour is quiet in the morning. '.repeat(6).trim();
      const document = await documentOf(
        ingestor,
        file('trip.md', `# Trip\n\n${filler}\n\n## Fares\n\n${filler}`, { title: 'To the islands' }),
      );
      expect(embeddings.seen[1]).toBe(`To the islands > Trip\n## Fares\n\n${filler}`);
      const { items } = await store.corpus.chunksOf(document.id, { offset: 1, limit: 1 });
      expect(items[0]?.text).toBe(`## Fares\n\n${filler}`);
    });

    it('keeps the pages and metadata of a PDF unless the caller overrides them', async () => {
      const { store, ingestor } = await openIngestor();
      const bytes = makePdf([[{ text: 'First page.', x: 60, y: 700 }], [{ text: 'Second page.', x: 60, y: 700 }]]);
      const document = await documentOf(ingestor, file('a.pdf', bytes, { metadata: { page_count: 'mine' } }));
      expect(document.metadata).toEqual({ page_count: 'mine' });
      expect(await store.corpus.textOf(document.id)).toEqual({
        text: 'First page.\n\nSecond page.',
        pages: [
          { number: 1, start: 0, end: 11 },
          { number: 2, start: 13, end: 25 },
        ],
        headings: [{ path: [], start: 0 }],
      });
    });

    it('splits with the requested settings', async () => {
      const { store, ingestor } = await openIngestor();
      const document = await documentOf(
        ingestor,
        text('one two three four', { settings: { chunkSize: 10, chunkOverlap: 0 } }),
      );
      const { items } = await store.corpus.chunksOf(document.id, { offset: 0, limit: 9 });
      expect(items.map(({ text }) => text)).toEqual(['one two', 'three', 'four']);
    });

    it('writes no summary when it is switched off', async () => {
      const { ingestor } = await openIngestor();
      expect((await documentOf(ingestor, text('Some words.', { settings: { skipSummary: true } }))).summary).toBeNull();
    });

    it('keeps ready-made chunks unchanged, with exact offsets', async () => {
      const { store, ingestor } = await openIngestor();
      const document = await documentOf(ingestor, {
        ...defaults,
        content: { kind: 'chunks', chunks: ['  one ', 'two 😀', '', 'three'] },
      });
      const kept = await store.corpus.textOf(document.id);
      const { items } = await store.corpus.chunksOf(document.id, { offset: 0, limit: 9 });
      expect(items.map((chunk) => chunk.text)).toEqual(['  one ', 'two 😀', 'three']);
      for (const { text: own, start, end } of items) expect(kept?.text.slice(start, end)).toBe(own);
      expect(document).toMatchObject({ type: 'txt', title: expect.stringMatching(/^Passages /) });
    });
  });

  describe('identifiers and titles', () => {
    it('follow the contract', async () => {
      const { ingestor } = await openIngestor();
      const raw = await ingestor.submit(text('This is a test document'));
      expect(raw.document).toMatchObject({
        id: '5556836e-a51c-57c7-916a-de76c79df2b6',
        title: 'N/A',
        fileName: 'N/A.txt',
      });
      const named = await ingestor.submit(text('Other', { metadata: { title: 'A name' } }));
      expect(named.document).toMatchObject({ title: 'A name', fileName: 'A name.txt' });
      const broken = await ingestor.submit(file('x.json', '{', { metadata: { title: 'invalid.json' } }));
      expect(broken.document.id).toBe('04ebba11-8d7c-5e7e-ade8-8f02edee2327');
      const explicit = await ingestor.submit(text('Third', { id: '649D1072-7054-4E17-BD51-1AF5F467D617' }));
      expect(explicit.document.id).toBe('649d1072-7054-4e17-bd51-1af5f467d617');
    });

    it('of a web page are its own title', async () => {
      const { ingestor } = await openIngestor();
      const page = '<!doctype html><title>Boats</title><p>Boats leave at nine.</p>';
      expect((await documentOf(ingestor, file('index.html', page, { source: 'https://example.com/' }))).title).toBe(
        'Boats',
      );
      expect((await documentOf(ingestor, file('boats.html', `${page} `))).title).toBe('boats.html');
    });
  });

  describe('the same content again', () => {
    it('is refused with a conflict under the same identifier', async () => {
      const { ingestor } = await openIngestor();
      await ingest(ingestor, file('a.txt', 'Some words.'));
      await expect(ingestor.submit(file('a.txt', 'Some words.'))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('under another name is the existing document, unless its metadata differ', async () => {
      const { ingestor } = await openIngestor();
      const { id } = await documentOf(ingestor, file('a.txt', 'Some words.', { metadata: { year: 2024 } }));
      expect(await ingestor.submit(file('b.txt', 'Some words.'))).toMatchObject({
        kind: 'duplicate',
        document: { id },
      });
      expect(await ingestor.submit(file('b.txt', 'Some words.', { metadata: { year: 2024 } }))).toMatchObject({
        kind: 'duplicate',
      });
      expect(await ingestor.submit(file('b.txt', 'Some words.', { metadata: { year: 2025 } }))).toMatchObject({
        kind: 'accepted',
      });
    });

    it('under another identifier is another document', async () => {
      const { ingestor } = await openIngestor();
      await ingest(ingestor, file('a.txt', 'Some words.'));
      const again = await ingestor.submit(file('a.txt', 'Some words.', { id: '649d1072-7054-4e17-bd51-1af5f467d617' }));
      expect(again.kind).toBe('accepted');
    });

    it('of a source leaves it unchanged, and changed content replaces it', async () => {
      const { store, ingestor } = await openIngestor();
      const source = { id: '649d1072-7054-4e17-bd51-1af5f467d617', replace: true, source: 'file:///a.txt' };
      await ingest(ingestor, file('a.txt', 'Some words.', source));
      expect(await ingestor.submit(file('a.txt', 'Some words.', source))).toMatchObject({ kind: 'unchanged' });
      expect(
        await ingestor.submit(file('a.txt', 'Some words.', { ...source, settings: { chunkSize: 5 } })),
      ).toMatchObject({ kind: 'accepted' });
      await documentOf(ingestor, file('a.txt', 'Other words.', source));
      expect((await store.corpus.textOf(source.id))?.text).toBe('Other words.');
      const elsewhere = { id: '749d1072-7054-4e17-bd51-1af5f467d617', replace: true, source: 'file:///b.txt' };
      expect(await ingestor.submit(file('b.txt', 'Other words.', elsewhere))).toMatchObject({
        kind: 'duplicate',
        document: { id: source.id },
      });
    });
  });

  describe('a source that is ingested again', () => {
    const source = { id: '649d1072-7054-4e17-bd51-1af5f467d617', replace: true, source: 'file:///a.md' };
    const [own, other] = [defaultCollectionId(ownerId), '122fdf6a-e116-546b-a8f6-e4cb2e2c0a01'];

    it('keeps its metadata, and is unchanged when none are new', async () => {
      const { ingestor } = await openIngestor();
      const said = { metadata: { year: 2024, title: 'A name' }, collectionIds: [own, other] };
      await documentOf(ingestor, file('a.md', 'Some words.', { ...source, ...said }));
      expect(await ingestor.submit(file('a.md', 'Some words.', source))).toMatchObject({
        kind: 'unchanged',
        document: { title: 'A name', metadata: { year: 2024 }, collectionIds: expect.arrayContaining([own, other]) },
      });
    });

    it('keeps given and edited metadata when its content changes, and adds new ones', async () => {
      const { store, ingestor } = await openIngestor();
      const page = (front: string) => `---\n${front}\n---\n\nSome words.\n`;
      await documentOf(
        ingestor,
        file('a.md', page('author: Ann\nstate: draft'), { ...source, metadata: { state: 'final' } }),
      );
      await store.corpus.setMetadata(source.id, { reviewed: true }, 'merge');
      const again = { ...source, metadata: { year: 2025 }, collectionIds: [other] };
      const document = await documentOf(ingestor, file('a.md', page('author: Ben\nstate: draft'), again));
      expect(document.metadata).toMatchObject({ author: 'Ben', state: 'final', reviewed: true, year: 2025 });
      expect([...document.collectionIds].sort()).toEqual([own, other].sort());
    });
  });

  describe('what cannot be ingested', () => {
    it.each<[string, Submission, string, RegExp]>([
      [
        'an unknown format',
        file('a.bin', Buffer.from([0, 1, 2, 3, 255, 254, 0, 9])),
        'unsupported_type',
        /Supported types:/,
      ],
      ['a file past its limit', file('a.css', 'word '.repeat(2_100_000)), 'too_large', /10\.5 MB.*10\.0 MB/],
      ['an empty text', text('  \n'), 'invalid_request', /empty/],
      [
        'no chunk with text',
        { ...defaults, content: { kind: 'chunks', chunks: ['', ' '] } },
        'invalid_request',
        /no text/,
      ],
      [
        'an overlap as large as the chunk',
        text('a', { settings: { chunkSize: 10, chunkOverlap: 10 } }),
        'invalid_request',
        /smaller/,
      ],
      ['a chunk size of nothing', text('a', { settings: { chunkSize: 0 } }), 'invalid_request', /above 0/],
    ])('is refused at once: %s', async (_, submission, code, message) => {
      const { store, ingestor } = await openIngestor();
      await expect(ingestor.submit(submission)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect((await store.corpus.list({ kind: 'all' }, { offset: 0, limit: 1 })).total).toBe(0);
    });

    it.each<[string, Submission, string, RegExp, FailureRemedy]>([
      ['broken JSON', file('invalid.json', '{"a":'), 'invalid_request', /not valid JSON/, 'file'],
      ['a PDF without text', file('scan.pdf', makePdf([[]])), 'invalid_request', /no text found/, 'settings'],
      ['an empty file', file('a.txt', ''), 'invalid_request', /no text/, 'file'],
    ])('fails alone with its reason: %s', async (_, submission, code, message, failureRemedy) => {
      const { store, ingestor } = await openIngestor();
      const last = (await ingest(ingestor, submission)).at(-1);
      expect(last).toMatchObject({
        type: 'failed',
        error: { code },
        document: { ingestionStatus: 'failed', failure: expect.stringMatching(message), failureRemedy },
      });
      await documentOf(ingestor, text('Another document.'));
      // A failed document may be submitted again, and fails again.
      expect((await ingest(ingestor, submission)).at(-1)).toMatchObject({ type: 'failed' });
      expect((await store.corpus.stats()).documents).toMatchObject({ failed: 1, success: 1 });
    });

    it('is refused at once when it is an image and no image reader is configured, and else read', async () => {
      const { ingestor, store } = await openIngestor();
      await expect(ingestor.submit(file('a.png', makePng()))).rejects.toMatchObject({
        code: 'unsupported_type',
        message: expect.stringContaining('CITEWELL_READ_IMAGES'),
      });
      const imageReader = { kind: 'remote', readImage: async () => 'The ferry leaves at nine.' } as const;
      const { ingestor: seeing } = await openIngestor({ store, reading: { imageReader } });
      const { type, metadata } = await documentOf(seeing, file('a.png', makePng()));
      expect({ type, metadata }).toMatchObject({ type: 'png', metadata: { width: 300, height: 200 } });
    });

    it('is refused at once when it is a recording and no transcriber is configured, and else keeps its type', async () => {
      const sound = Buffer.from(`ID3\u0003${'\0'.repeat(600)}`, 'latin1');
      const { ingestor, store } = await openIngestor();
      await expect(ingestor.submit(file('a.mp3', sound))).rejects.toMatchObject({
        code: 'unsupported_type',
        message: expect.stringContaining('CITEWELL_TRANSCRIBER'),
      });
      const transcribe = async () => ({ text: 'The ferry leaves at nine.', segments: [] });
      const reading = { transcriber: { name: 'ear/one', transcribe } };
      const { ingestor: transcribing } = await openIngestor({ store, reading });
      expect(await documentOf(transcribing, file('a.mp3', sound))).toMatchObject({
        type: 'mp3',
        ingestionStatus: 'success',
      });
    });

    it('fails when it exceeds the reading time limit', async () => {
      const { ingestor } = await openIngestor({ reading: { timeoutMs: 2_000, workers: 1 } });
      const last = (await ingest(ingestor, file('a.md', endlessMarkdown()))).at(-1);
      expect(last).toMatchObject({ type: 'failed', error: { code: 'timeout' } });
    });

    it('can be stopped while it is read, and the next document is read', async () => {
      // Its memory limit distinguishes its reader process from those of other tests; its time limit is out of reach.
      const { ingestor } = await openIngestor({ reading: { timeoutMs: PATIENT.timeout, workers: 1, memoryMb: 1_019 } });
      const readers = async () =>
        (await descendantsOf(process.pid)).filter(({ command }) => /preparation-process\S* 1019$/.test(command.trim()));
      const stop = new AbortController();
      const { document } = await ingestor.submit(file('a.md', endlessMarkdown()));
      const events = ingestor.run(document.id, stop.signal);
      expect((await events.next()).value).toMatchObject({ status: 'parsing' });
      const rest = Array.fromAsync(events);
      await expect.poll(readers, PATIENT).toHaveLength(1);
      stop.abort();
      await expect(rest).rejects.toMatchObject({ code: 'cancelled' });
      expect((await ingest(ingestor, text('Some words.'))).at(-1)).toMatchObject({ type: 'done' });
    });

    it('fails with the reason of the embedder, and keeps the published version', async () => {
      let isDown = false;
      const embeddings = testEmbedder(async () => {
        if (isDown) throw new ServiceError('provider_failed', 'The embedder is down.');
      });
      const { store, ingestor } = await openIngestor({ embeddings });
      const { id } = await documentOf(ingestor, file('a.txt', 'Some words.'));
      isDown = true;
      const last = (await ingest(ingestor, file('a.txt', 'Other words.', { id, replace: true }))).at(-1);
      expect(last).toMatchObject({ type: 'failed', document: { failure: 'The embedder is down.' } });
      expect((await store.corpus.chunksOf(id, { offset: 0, limit: 9 })).items.map((chunk) => chunk.text)).toEqual([
        'Some words.',
      ]);
    });

    it('ends well when it was published, though the answer of the store was lost', async () => {
      const store = await engine.openTestStore();
      const corpus: TestStore['corpus'] = {
        ...store.corpus,
        async publish(...publication) {
          await store.corpus.publish(...publication);
          throw new ServiceError('store_failed', 'The connection was closed.');
        },
      };
      const { ingestor } = await openIngestor({ store: { ...store, corpus } });
      const document = await documentOf(ingestor, text('Boats leave at nine.'));
      expect(await store.corpus.get(document.id)).toMatchObject({ ingestionStatus: 'success', failure: null });
    });
  });

  /** Runs all queued ingestions to their end, as the workers of the queue do. */
  async function finish({
    store,
    ingestor,
  }: {
    store: TestStore;
    ingestor: Ingestor;
  }): Promise<(string | undefined)[]> {
    const ends: (string | undefined)[] = [];
    for (;;) {
      const task = await store.queue.take({ alone: true });
      if (task === undefined) return ends;
      ends.push((await Array.fromAsync(ingestor.run(task.documentId, always))).at(-1)?.type);
    }
  }

  describe('an ingestion that is stopped', () => {
    it('leaves its document pending, and is finished by the next process', async () => {
      const stop = new AbortController();
      const embeddings = testEmbedder(async () => stop.abort());
      const { store, ingestor } = await openIngestor({ embeddings });
      const { document } = await ingestor.submit(text('Some words to be embedded.'));
      await expect(Array.fromAsync(ingestor.run(document.id, stop.signal))).rejects.toThrow();
      expect(await store.corpus.unfinished()).toMatchObject([{ id: document.id }]);

      const next = await openIngestor({ store: await store.reopen() });
      expect(await finish(next)).toEqual(['done']);
      expect(await finish(next)).toEqual([]);
    });

    it('keeps ready-made chunks apart when it is resumed', async () => {
      const { store, ingestor } = await openIngestor();
      const { document } = await ingestor.submit(
        { ...defaults, content: { kind: 'chunks', chunks: ['one', 'two'] } },
        { queued: true },
      );
      expect(await finish({ store, ingestor })).toEqual(['done']);
      expect(
        (await store.corpus.chunksOf(document.id, { offset: 0, limit: 9 })).items.map((chunk) => chunk.text),
      ).toEqual(['one', 'two']);
    });
  });

  describe('a corpus switched to another embedder', () => {
    it('includes a document that was being embedded for the previous space', async () => {
      const store = await engine.openTestStore();
      const moved = { ...testSpace, version: '2' };
      let waitForSpaceSwitch = false;
      const after = { ...testEmbedder(), space: async () => moved };
      const before = testEmbedder(async () => {
        if (waitForSpaceSwitch) return;
        for await (const _ of store.spaces.reindex(after, always));
        // The shared embedder follows a moment after the records.
        setTimeout(() => {
          waitForSpaceSwitch = true;
        }, 100);
      });
      const embeddings = { ...before, space: async () => (waitForSpaceSwitch ? moved : testSpace) };
      const { ingestor } = await openIngestor({ store, embeddings });
      const events = await ingest(ingestor, text('Some words.'));
      expect(kinds(events).at(-1)).toBe('done');
      expect((await store.spaces.current())?.version).toBe('2');
      expect((await store.spaces.current())?.vectors).toBe(1);
      expect((await store.corpus.stats()).chunks).toBe(1);
    });
  });

  describe('concurrent ingestions', () => {
    it('run in parallel up to the limit', async () => {
      let now = 0;
      let max = 0;
      const full = Promise.withResolvers<void>();
      const embeddings = testEmbedder(async () => {
        max = Math.max(max, ++now);
        if (now === 3) full.resolve();
        await full.promise;
        // Time for more than three to come.
        await wait(100);
        now--;
      });
      const { store, ingestor } = await openIngestor({ embeddings, documents: 3 });
      await Promise.all(Array.from({ length: 8 }, (_, index) => ingest(ingestor, text(`Document number ${index}.`))));
      expect(max).toBe(3);
      expect((await store.corpus.stats()).documents.success).toBe(8);
    });

    it('of the same content are done once', async () => {
      const embeddings = testEmbedder(() => wait(30));
      const { ingestor } = await openIngestor({ embeddings });
      const { document } = await ingestor.submit(text('Some words.'));
      const runs = await Promise.all([1, 2].map(() => Array.fromAsync(ingestor.run(document.id, always))));
      expect(runs.map((events) => kinds(events).at(-1))).toEqual(['done', 'done']);
      expect(embeddings.seen).toHaveLength(1);
    });
  });
});
