import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type NextFunction, type Request, type Response } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerFailure } from '../../src/http/failure.ts';
import { defaultHttpLimits } from '../../src/http/http-services.ts';
import { listen } from '../../src/http/serve.ts';
import { cutOffSlowBodies } from '../../src/http/slow-bodies.ts';
import { markEndless } from '../../src/shared/endless-responses.ts';
import { PATIENT, PROMPTLY_MS } from '../support/patience.ts';
import { outcome } from './support/retrieval-fixtures.ts';
import { startHttp } from './support/start-http.ts';

describe('a server', () => {
  it('does not log an error when a client disconnects in the middle of a request', async () => {
    const http = await startHttp();
    onTestFinished(http.close);
    const socket = connect(http.port, '127.0.0.1');
    socket.resume();
    // Answered before the rest of its body, which is never sent.
    socket.end('GET /docs/elements.js HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab');
    await once(socket, 'close');
    expect((await fetch(`${http.url}/v3/health`)).status).toBe(200);
    expect(http.logged).toEqual([]);
  });
});

describe('a slow request body', () => {
  it('is not cut off early when the clock is set ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const server = new EventEmitter() as Server;
    const watch = cutOffSlowBodies(server, 20);
    onTestFinished(watch.close);
    const ends: string[] = [];
    const socket = { bytesRead: 0, end: () => ends.push('cut off') };
    const request = Object.assign(new EventEmitter(), { complete: false, socket, destroy: () => undefined });
    server.emit('request', request);
    // So many bytes have come that an hour is allowed.
    socket.bytesRead = 3_600 * 50_000;
    vi.setSystemTime(Date.now() + 86_400_000);
    await sleep(60);
    expect(ends).toEqual([]);
  });

  it('is cut off with an error after the time limit of a request', async () => {
    const http = await startHttp({ limits: { ...defaultHttpLimits, request: 150 } });
    onTestFinished(http.close);
    const socket = connect(http.port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.on('error', () => {});
    socket.write('POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(drip);
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(http.logged).toEqual([]);
  });

  it('is read to its end while large parts keep arriving', async () => {
    const http = await startHttp({
      limits: { ...defaultHttpLimits, request: 1_000 },
      retriever: { search: async () => outcome },
    });
    onTestFinished(http.close);
    const text = JSON.stringify({ query: 'q', padding: 'x'.repeat(400_000) });
    const pieces = text.match(/.{1,40000}/g) ?? [];
    const body = new ReadableStream({
      async start(controller) {
        for (const piece of pieces) {
          controller.enqueue(new TextEncoder().encode(piece));
          await sleep(150);
        }
        controller.close();
      },
    });
    const init: RequestInit = { method: 'POST', body, duplex: 'half' };
    expect((await fetch(`${http.url}/v3/retrieval/search`, init)).status).toBe(200);
  });
});

describe('a handler that reads the body itself', () => {
  it('is notified when the client disconnects in the middle of it, and nothing is logged', async () => {
    const logged: string[] = [];
    const note = (_fields: object, message: string) => logged.push(message);
    const reported = Promise.withResolvers<unknown>();
    const app = express();
    app.post('/', async (request) => {
      for await (const _piece of request);
    });
    const answer = answerFailure({ info: note, warn: note, error: note });
    app.use((thrown: unknown, request: Request, response: Response, next: NextFunction) => {
      answer(thrown, request, response, next);
      reported.resolve(thrown);
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    onTestFinished(server.close);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf of', () => socket.destroy());
    expect(await reported.promise).toMatchObject({ code: 'ECONNRESET' });
    expect(logged).toEqual([]);
  });
});

describe('a server that is closed', () => {
  it('ends open streams with an error event and closes in under two seconds', async () => {
    const http = await startHttp({
      answerer: {
        async *answer(_, signal) {
          yield { type: 'search_results', outcome };
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        },
      },
    });
    const body = JSON.stringify({ query: 'q', rag_generation_config: { stream: true } });
    const response = await fetch(`${http.url}/v3/retrieval/rag`, { method: 'POST', body });
    const text = response.text();
    const startedAt = performance.now();
    await http.close();
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    expect(await text).toMatch(/event: error\ndata: .*The service is stopping.*\n\nevent: done\ndata: \[DONE\]\n\n$/);
  });

  it('does not wait for work that ignores the abort signal, nor for idle connections', async () => {
    const http = await startHttp({ retriever: { search: () => new Promise(() => {}) } });
    await fetch(`${http.url}/v3/health`);
    const stuck = http.post('/v3/retrieval/search', { query: 'q' });
    stuck.catch(() => {});
    const idle = connect(http.port, '127.0.0.1');
    idle.on('error', () => {});
    await new Promise((resolve) => idle.once('connect', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await http.close();
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    await expect(stuck).rejects.toThrow();
    await expect(fetch(http.url)).rejects.toThrow();
  });

  it('finishes running requests, except notification streams, before it is closed', async () => {
    const { promise: searching, resolve: found } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const http = await startHttp({
      retriever: {
        async search() {
          ask();
          await searching;
          return outcome;
        },
      },
    });
    const search = http.post('/v3/retrieval/search', { query: 'q' });
    await asked;
    let isFinished = false;
    const finished = http.finish(60_000).then(() => {
      isFinished = true;
    });
    await vi.waitFor(() => expect(fetch(http.url)).rejects.toThrow(), PATIENT);
    expect(isFinished).toBe(false);
    found();
    expect((await search).status).toBe(200);
    await finished;
    await http.close();
  });

  it('answers connections that are not accepted yet when it stops', async () => {
    const http = await startHttp();
    onTestFinished(http.close);
    const socket = connect(http.port, '127.0.0.1');
    socket.write('GET /docs/elements.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => process.nextTick(resolve));
    // The system connects meanwhile; the server has no turn to accept.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    const finished = http.finish(60_000);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
    await finished;
  });

  it('does not wait for streams that end only when their client disconnects', async () => {
    const app = express();
    app.post('/', (_request, response) => {
      markEndless(response);
      response.type('text/event-stream').write(': listening\n\n');
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    onTestFinished(server.close);
    const { body } = await fetch(server.url, { method: 'POST' });
    const startedAt = performance.now();
    await server.finish(60_000);
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    await body?.cancel();
  });

  it('can be closed twice', async () => {
    const http = await startHttp();
    await Promise.all([http.close(), http.close()]);
  });
});

describe('an address that cannot be used', () => {
  it('is refused with the port and the variable that changes it', async () => {
    const http = await startHttp();
    try {
      await expect(listen(express(), { host: '127.0.0.1', port: http.port })).rejects.toThrow(
        expect.objectContaining({
          code: 'conflict',
          message: expect.stringMatching(new RegExp(`Port ${http.port} .*CITEWELL_PORT`)),
        }),
      );
    } finally {
      await http.close();
    }
  });

  it('is refused when it belongs to another machine', async () => {
    await expect(listen(express(), { host: '192.0.2.1', port: 0 })).rejects.toThrow(/CITEWELL_HOST/);
  });
});
