import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

let http: RunningHttp;
beforeAll(async () => {
  http = await startCitewell();
});
afterAll(() => http.close());

it('returns models, stores and counts', async () => {
  // Its counts are those of this document alone.
  const own = await startCitewell();
  onTestFinished(() => own.close());
  await own.post('/v3/documents', { raw_text: 'One paragraph.' });
  const response = await fetch(`${own.url}/v3/system/status`);
  expect(await response.json()).toEqual({
    results: {
      start_time: expect.stringMatching(/Z$/),
      uptime_seconds: expect.any(Number),
      cpu_usage: expect.any(Number),
      memory_usage: expect.any(Number),
      citewell: {
        version: '0.0.0-test',
        model: 'builtin/extractive',
        embedder: 'builtin/lexical-hash-v1',
        embedder_reason: 'CITEWELL_EMBEDDING_MODEL names it.',
        data: '/data',
        index: { kind: 'memory', state: 'ready' },
        graph: { waiting: 1, failed: 0 },
        summaries: { waiting: 0, failed: 0 },
        problems: [],
        hints: [],
        documents: expect.objectContaining({ success: 1, failed: 0 }),
        chunks: 1,
        collections: expect.any(Number),
        pending_index_writes: expect.any(Number),
        ingestion: expect.objectContaining({ queued: 0, running: 0, failed: 0 }),
        space: expect.objectContaining({ embedder: expect.any(String), dimensions: expect.any(Number) }),
      },
    },
  });
});

it('reindexes the corpus and reports progress', async () => {
  await http.post('/v3/documents', { raw_text: 'Another paragraph.' });
  const text = await (await http.post('/v3/system/reindex', '')).text();
  expect(text).toMatch(
    /^(event: progress\ndata: \{"done":\d+,"total":\d+\}\n\n)*event: reindexed\ndata: \{"embedder":.*\}\n\nevent: done\ndata: \[DONE\]\n\n$/,
  );
});

it('answers a reindexing that cannot start with an ordinary error', async () => {
  const back = await http.post('/v3/system/reindex', { back: true });
  expect([back.status, await back.json()]).toEqual([400, expect.objectContaining({ message: expect.any(String) })]);
  expect((await http.post('/v3/system/reindex', { back: 'yes' })).status).toBe(422);
});
