import fc from 'fast-check';
import { r2rClient } from 'r2r-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectAnswer, readEvents, type StreamEvent, StreamFailure, textOf } from '../../src/client/sse.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import type { RunningHttp } from '../http/support/start-http.ts';

const delta = (value: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify({
    delta: { content: [{ type: 'text', payload: { value, annotations: [] } }] },
  })}\n\n`;
const DONE = 'event: done\ndata: [DONE]\n\n';

async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) yield typeof part === 'string' ? new TextEncoder().encode(part) : part;
}

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

const said = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.event === 'message' ? textOf(event) : '')).join('');

describe('reading a stream of events', () => {
  it('is reopened before its first event only if the place of that event is given', async () => {
    const broken = () => pieces(': still working\n\n');
    const asked: string[] = [];
    const reconnect = async (id: string) => {
      asked.push(id);
      return pieces(delta('All of it.', 'run:1'), DONE);
    };
    expect(said(await all(readEvents(broken(), { reconnect, delay: 1, lastEventId: 'run:0' })))).toBe('All of it.');
    expect(asked).toEqual(['run:0']);
    await expect(all(readEvents(broken(), { reconnect, delay: 1 }))).rejects.toThrow(StreamFailure);
  });

  it('gives the same events however the network cuts it', async () => {
    const bytes = new TextEncoder().encode(
      `: hello\n\n${delta('Zürich 東京 ')}${delta('🙂').replaceAll('\n', '\r\n')}${DONE}`,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const borders = [0, ...cuts.sort((one, two) => one - two), bytes.length];
        const parts = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
        expect(said(await all(readEvents(pieces(...parts))))).toBe('Zürich 東京 🙂');
      }),
      { numRuns: 50 },
    );
  });

  it('ignores unknown events', async () => {
    const events = await all(readEvents(pieces('event: later\ndata: {}\n\n', delta('a'), DONE)));
    expect(events.map(({ event }) => event)).toEqual(['message']);
  });

  it('throws the error event of the service', async () => {
    const failure = 'event: error\ndata: {"error":{"message":"No more.","code":"provider_failed"}}\n\n';
    const reading = all(readEvents(pieces(delta('a'), failure, DONE)));
    await expect(reading).rejects.toMatchObject({ code: 'provider_failed', message: 'No more.' });
  });

  it('throws when the stream ends before its terminator', async () => {
    await expect(all(readEvents(pieces(delta('a'))))).rejects.toBeInstanceOf(StreamFailure);
  });

  it('resumes after the last event, and gives up after the last attempt', async () => {
    const asked: string[] = [];
    const reconnect = async (last: string) => {
      asked.push(last);
      if (asked.length === 1) throw new Error('not back yet');
      return pieces(delta('b', 'run:2'), DONE);
    };
    const events = await all(readEvents(pieces(delta('a', 'run:1')), { reconnect, delay: 1 }));
    expect([said(events), asked]).toEqual(['ab', ['run:1', 'run:1']]);
    const never = async () => Promise.reject(new Error('gone'));
    const unreachable = all(readEvents(pieces(delta('a', 'run:1')), { reconnect: never, delay: 1, attempts: 2 }));
    await expect(unreachable).rejects.toMatchObject({ code: 'stream_broken' });
  });
});

describe('over the service', () => {
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startCitewell();
    await http.post('/v3/documents', { raw_text: 'The capital of Portugal is Lisbon.' });
  });
  afterAll(() => http.close());

  it('reads the streams that r2r-js returns', async () => {
    const stream = await new r2rClient(http.url).retrieval.rag({
      query: 'What is the capital of Portugal?',
      ragGenerationConfig: { stream: true },
    });
    let received = '';
    const { text, final, search } = await collectAnswer(stream as unknown as ReadableStream<Uint8Array>, {
      onText: (piece) => {
        received += piece;
      },
    });
    expect(received).toBe(text);
    expect(final.citations[0]?.payload?.quotes?.[0]?.text).toContain('Lisbon');
    expect(search?.data).toHaveProperty('chunk_search_results');
  });

  it('throws the error of a response that is no stream', async () => {
    const response = await http.post('/v3/retrieval/rag', { query: '' });
    await expect(collectAnswer(response)).rejects.toMatchObject({ name: 'StreamFailure', code: 'invalid_request' });
  });
});
