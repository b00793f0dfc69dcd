import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { type DocumentProgress, watchDocument } from '../../src/cli/document-progress.ts';
import { progressView } from '../../src/cli/ingest-progress.ts';
import { emptyTally, record } from '../../src/cli/ingest-tally.ts';
import { listenForInterruption } from '../../src/cli/interruption.ts';
import { processOutput } from '../../src/cli/output.ts';
import { ServiceError } from '../../src/errors.ts';

it('reports the stages of a document from its acceptance until it is done', async () => {
  const over = new AbortController();
  const reports: DocumentProgress[] = [];
  let looks = 0;
  async function* follow() {
    looks += 1;
    if (looks === 1) throw new ServiceError('not_found', 'There is no such document yet.');
    if (looks === 2) {
      yield { event: 'status', data: { ingestion_status: 'parsing' } };
      yield { event: 'progress', data: { ingestion_status: 'embedding', done: 32, total: 900 } };
      // Of no use to those who wait.
      yield { event: 'status', data: { ingestion_status: 'success' } };
      yield { event: 'ingested', data: { ingestion_status: 'success' } };
      return;
    }
    over.abort();
    yield { event: 'progress', data: { ingestion_status: 'embedding', done: 1, total: 2 } };
  }
  await watchDocument(follow, (progress) => reports.push(progress), over.signal, 1);
  expect(reports).toEqual([{ stage: 'reading' }, { stage: 'embedding', done: 32, total: 900 }]);
  expect(looks).toBe(3);
});

it('a large document is shown with its stage until it is done', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100 }) as unknown as NodeJS.WriteStream;
  let shown = '';
  stream.on('data', (text) => {
    shown += String(text);
  });
  const interruption = listenForInterruption(process, { force: () => undefined });
  onTestFinished(interruption.dispose);
  const tally = emptyTally();
  const watched = { names: [], site: undefined, dataFolder: '/none', tally, startedAt: performance.now() - 1_000 };
  const view = progressView(watched, { output: processOutput(stream, stream), interruption });
  onTestFinished(view.end);
  const item = { source: 'file:///notes/report.pdf', fileName: 'report.pdf', bytes: new Uint8Array() };
  view.progress({ ...item, metadata: {}, collections: [] }, { stage: 'embedding', done: 3000, total: 17_983 });
  view.update({ type: 'started', name: '/notes/other.pdf' });
  await expect.poll(() => shown).toMatch(/report\.pdf: embedding 3,000 of 17,983 passages, \d+ s/);
  const result = { type: 'result', name: '/notes/report.pdf', outcome: 'ingested', documentId: 'x' } as const;
  record(result, tally);
  view.update(result);
  shown = '';
  const redrawn = () => {
    view.update(result);
    return shown;
  };
  await expect.poll(redrawn).toMatch(/1\/0 files|1 files/);
  expect(shown).not.toContain('report.pdf');
});
