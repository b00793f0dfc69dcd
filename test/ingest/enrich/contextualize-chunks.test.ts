import { expect, it } from 'vitest';
import { contextualizeChunks } from '../../../src/ingest/enrich/contextualize-chunks.ts';
import type { SplitChunk } from '../../../src/ingest/split-text.ts';
import { type Model, noUsage } from '../../../src/models/model.ts';
import { untilAborted } from '../../../src/shared/abort.ts';

const CONCURRENT = 4;

it('pays for no further contexts when nobody waits for them any more', async () => {
  const signals: AbortSignal[] = [];
  const model: Model = {
    name: 'test/slow',
    async *stream({ signal }) {
      signals.push(signal);
      if (signals.length > CONCURRENT) await untilAborted(signal);
      signal.throwIfAborted();
      yield { type: 'text', text: 'From the second chapter.' };
      yield { type: 'stop', reason: 'end', usage: noUsage, model: 'test/slow' };
    },
  };
  const chunks = Array.from({ length: 3 * CONCURRENT }, (_, order): SplitChunk => {
    const text = `Passage ${order}.`;
    return { text, order, start: 0, end: text.length, page: null, headingPath: [] };
  });
  const records = { known: async () => new Map(), keep: async () => {}, forgetOthers: async () => {} };
  const writing = contextualizeChunks(
    { documentId: 'd', title: 'Book', summary: null, chunks },
    { model, records, template: '{chunk}', generation: {}, neighbours: 1 },
    new AbortController().signal,
  );
  expect((await writing.next()).value).toEqual({ done: 0, total: chunks.length });
  await writing.next();
  await writing.return(chunks);
  expect(signals.length).toBeGreaterThan(CONCURRENT);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});
