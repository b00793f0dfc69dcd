import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { requestSignal } from '../../src/http/request-signal.ts';
import { encodeEvent, type ServerSentEvent, sendEvents } from '../../src/http/sse.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Timing {
  readonly heartbeat?: number;
  readonly stall?: number;
}

async function serve(
  events: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { heartbeat = 60_000, stall = 60_000 }: Timing = {},
): Promise<string> {
  const app = express();
  app.get('/', async (incoming, response) => {
    const signal = requestSignal(incoming, response);
    await sendEvents(response, events(signal), {
      signal,
      heartbeat,
      stall,
      onFailure: () => ({ event: 'error', data: {} }),
    });
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an event', () => {
  it('is a name, one line of JSON and a blank line', () => {
    expect(encodeEvent({ event: 'message', data: { text: 'a\nb\r\n"c" ü\u2028' } })).toBe(
      'event: message\ndata: {"text":"a\\nb\\r\\n\\"c\\" ü\u2028"}\n\n',
    );
  });
});

describe('a stream', () => {
  it('sends keep-alive comments in a long pause, and then goes on', async () => {
    const url = await serve(
      async function* () {
        yield { event: 'a', data: {} };
        await sleep(60);
        yield { event: 'b', data: {} };
      },
      { heartbeat: 20 },
    );
    const text = await (await fetch(url)).text();
    expect(text).toMatch(
      /^event: a\ndata: \{\}\n\n(: still working\n\n)+event: b\ndata: \{\}\n\nevent: done\ndata: \[DONE\]\n\n$/,
    );
  });

  it('sends its headers before a late first event', async () => {
    const url = await serve(
      async function* () {
        await sleep(60);
        yield { event: 'a', data: {} };
      },
      { heartbeat: 20 },
    );
    expect(await (await fetch(url)).text()).toMatch(/^(: still working\n\n)+event: a\n/);
  });

  it('is produced no faster than it is read', async () => {
    let produced = 0;
    const url = await serve(async function* () {
      for (; produced < 2_000; produced++) yield { event: 'a', data: { text: 'x'.repeat(10_000) } };
    });
    const received = Promise.withResolvers<number>();
    request(url, (response) => {
      response.pause();
      setTimeout(() => {
        const whilePaused = produced;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => {
          expect(bytes).toBeGreaterThan(20_000_000);
          received.resolve(whilePaused);
        });
        response.resume();
      }, 300);
    }).end();
    // About the capacity of sockets and buffers on both sides, far below the total.
    expect(await received.promise).toBeLessThan(1_500);
    expect(produced).toBe(2_000);
  });

  it('is aborted when its client reads nothing for too long', async () => {
    const ended = Promise.withResolvers<void>();
    const url = await serve(
      async function* () {
        try {
          for (;;) yield { event: 'a', data: { text: 'x'.repeat(100_000) } };
        } finally {
          ended.resolve();
        }
      },
      { stall: 100 },
    );
    const stuck = request(url, (response) => response.pause());
    stuck.on('error', () => {});
    stuck.end();
    await ended.promise;
  });
});
