import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { GraphExtractor } from '../../src/graph/graph.ts';
import { createGraphExtraction, type ExtractionStep } from '../../src/graph/graph-extraction.ts';
import { createGraphThread } from '../../src/graph/graph-thread.ts';
import { watchCorpus } from '../../src/store/watch-corpus.ts';
import { capitalExtractor } from '../support/capitalised-words.ts';
import { describeEngines } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { ingest, newChunk, newDocument, type TestStore } from '../support/store.ts';

const { signal } = new AbortController();
const page = { offset: 0, limit: 100 };
/** Longer time-outs for busy machines. */

function open(store: TestStore, extractor: GraphExtractor = capitalExtractor, isAutomatic = true) {
  const { corpus, changes } = watchCorpus(store.corpus);
  const reports: string[] = [];
  const extraction = createGraphExtraction({
    records: store.documentGraphs,
    extractorOf(name) {
      if (name === null || name === extractor.name) return extractor;
      throw new ServiceError('unknown_model', `No extractor is named "${name}".`);
    },
    changes,
    isAutomatic,
    report: (message) => reports.push(message),
  });
  onTestFinished(() => extraction.close());
  return { extraction, reports, store: { ...store, corpus } };
}

async function collect(steps: AsyncIterable<ExtractionStep>): Promise<ExtractionStep[]> {
  const all: ExtractionStep[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

const statusOf = async ({ corpus }: TestStore, id: string) => (await corpus.get(id))?.extractionStatus;

describeEngines('The extraction of graphs', ({ openTestStore }) => {
  it('processes pending documents, and reports progress', async () => {
    const { extraction, store } = open(await openTestStore());
    for (const name of ['one', 'two', 'three']) await ingest(store, newDocument(name), [newChunk(0, 'Paris, Rouen.')]);
    const steps = await collect(extraction.run(signal));
    expect(steps.map(({ outcome, done, total }) => [outcome, done, total])).toEqual([
      ['extracted', 1, 3],
      ['extracted', 2, 3],
      ['extracted', 3, 3],
    ]);
    expect(await collect(extraction.run(signal))).toEqual([]);
  });

  it('extracts newly published documents in the background', async () => {
    const { extraction, store } = open(await openTestStore());
    await ingest(store, newDocument('before'), [newChunk(0, 'Paris.')]);
    extraction.start();
    await expect.poll(() => statusOf(store, newDocument('before').id), PATIENT).toBe('success');
    await ingest(store, newDocument('after'), [newChunk(0, 'Berlin.')]);
    await expect.poll(() => statusOf(store, newDocument('after').id), PATIENT).toBe('success');
  });

  it('leaves an interrupted document pending when it is stopped', async () => {
    const endless: GraphExtractor = {
      name: 'test/endless',
      extract: (_document, stopped) =>
        new Promise((_resolve, reject) => {
          stopped.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
        }),
    };
    const { extraction, store } = open(await openTestStore(), endless);
    const { id } = await ingest(store, newDocument('one'), [newChunk(0, 'Paris.')]);
    extraction.start();
    await expect.poll(() => statusOf(store, id), PATIENT).toBe('processing');
    await extraction.close();
    expect(await statusOf(store, id)).toBe('pending');
  });

  it('records a failure and continues with the next document', async () => {
    const failing: GraphExtractor = {
      name: 'test/picky',
      async extract(document, stopped) {
        if (document.title === 'bad') throw new ServiceError('provider_failed', 'The model did not answer.');
        return capitalExtractor.extract(document, stopped);
      },
    };
    const { extraction, store, reports } = open(await openTestStore(), failing);
    const bad = await ingest(store, newDocument('bad'), [newChunk(0, 'Paris.')]);
    await ingest(store, newDocument('good'), [newChunk(0, 'Rouen.')]);
    const steps = await collect(extraction.run(signal));
    expect(steps.map(({ outcome }) => outcome)).toEqual(['failed', 'extracted']);
    expect(await store.documentGraphs.extractionOf(bad.id)).toMatchObject({ failure: 'The model did not answer.' });
    expect(reports).toHaveLength(1);
  });

  it('extracts only on request when automatic extraction is off', async () => {
    const { extraction, store } = open(await openTestStore(), capitalExtractor, false);
    const one = await ingest(store, newDocument('one'), [newChunk(0, 'Paris.')]);
    await ingest(store, newDocument('two'), [newChunk(0, 'Rouen.')]);
    extraction.start();
    const settled = extraction.settled(one.id, signal);
    await extraction.request(one.id, null);
    await settled;
    expect(await statusOf(store, one.id)).toBe('success');
    expect(await statusOf(store, newDocument('two').id)).toBe('pending');
    await expect(extraction.request(one.id, 'test/unknown')).rejects.toMatchObject({ code: 'unknown_model' });
  });

  it('ends the wait for a document that is deleted before its turn', async () => {
    const gate = Promise.withResolvers<void>();
    const slow: GraphExtractor = {
      name: 'test/slow',
      async extract(document, stopped) {
        await gate.promise;
        return capitalExtractor.extract(document, stopped);
      },
    };
    const { extraction, store } = open(await openTestStore(), slow);
    const first = await ingest(store, newDocument('first'), [newChunk(0, 'Paris.')]);
    const gone = await ingest(store, newDocument('gone'), [newChunk(0, 'Rouen.')]);
    extraction.start();
    await extraction.request(first.id, null);
    await expect.poll(() => statusOf(store, first.id), PATIENT).toBe('processing');
    const settled = extraction.settled(gone.id, signal);
    await extraction.request(gone.id, null);
    await store.corpus.remove({ kind: 'compare', field: 'id', op: 'eq', value: gone.id });
    gate.resolve();
    await settled;
    expect(await statusOf(store, gone.id)).toBeUndefined();
  });

  it('yields to ingestion, except for requested documents', async () => {
    const { extraction, store } = open(await openTestStore());
    const asked = await ingest(store, newDocument('asked'), [newChunk(0, 'Paris.')]);
    const other = await ingest(store, newDocument('other'), [newChunk(0, 'Rouen.')]);
    await store.corpus.begin(newDocument('coming'));
    extraction.start();
    const settled = extraction.settled(asked.id, signal);
    await extraction.request(asked.id, null);
    await settled;
    expect([await statusOf(store, asked.id), await statusOf(store, other.id)]).toEqual(['success', 'pending']);
  });

  it('extracts a long document with a model in parts, and calls the model once per part', async () => {
    const store = await openTestStore();
    const chunks = Array.from({ length: 40 }, (_, order) => newChunk(order, `Paris and Town${'abc'[order % 3]}.`));
    const { id } = await ingest(store, newDocument('long'), chunks);
    const read: number[] = [];
    let breaks = true;
    const costly: GraphExtractor = {
      name: 'test/costly',
      async extract(document, stopped) {
        if (breaks && read.length === 2) throw new Error('The line went dead.');
        read.push(document.chunks.length);
        return capitalExtractor.extract(document, stopped);
      },
    };
    const { extraction } = open(store, costly);
    expect(await collect(extraction.run(signal))).toMatchObject([{ outcome: 'failed', reason: 'The line went dead.' }]);
    breaks = false;
    await extraction.request(id, 'test/costly');
    await expect.poll(() => statusOf(store, id), PATIENT).toBe('success');
    expect(read).toEqual([16, 16, 8]);
    const { items } = await store.graphs.entities({ kind: 'document', id }, page);
    expect(items.find(({ name }) => name === 'Paris')?.mentions).toBe(40);
  });

  it('runs the built-in extractor off the event loop', async () => {
    const { extractor, close } = createGraphThread();
    onTestFinished(close);
    const text = 'Ada Lovelace worked with Charles Babbage in London. Charles Babbage built the Analytical Engine.';
    const chunks = [{ chunkId: 'a', text, headingPath: [] }];
    const graph = await extractor.extract({ title: 'Engines', chunks }, signal);
    expect(graph.entities.map(({ name }) => name)).toContain('Charles Babbage');
    const aborted = AbortSignal.abort();
    await expect(extractor.extract({ title: 'Engines', chunks }, aborted)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('ends an idle thread of the built-in extractor, and starts another when it is needed', async () => {
    const { extractor, close } = createGraphThread({ idleMs: 1 });
    onTestFinished(close);
    const threads: Worker[] = [];
    const note = (worker: Worker) => void threads.push(worker);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const chunks = [{ chunkId: 'a', text: 'Charles Babbage met Ada Lovelace in London.', headingPath: [] }];
    for (const started of [1, 2]) {
      await extractor.extract({ title: 'Engines', chunks }, signal);
      expect(threads.length).toBe(started);
      const [ended] = await once(threads[started - 1] as Worker, 'exit');
      expect(ended).toBe(1);
    }
  });
});
