import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createDirectCalls } from '../../../src/store/chroma/direct-calls.ts';
import { cutOnFailure } from '../../support/cut-on-failure.ts';

const calls = createDirectCalls();
const question = { collection: 'c1', vector: Float32Array.of(0.25, 1), limit: 2 };
let stop = async () => {};
afterEach(() => stop());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/db`;
}

it('requests only keys and distances, over one connection', async () => {
  const asked: { url: string | undefined; body: unknown; socket: IncomingMessage['socket'] }[] = [];
  const database = await serve(
    cutOnFailure(async (request, response) => {
      asked.push({ url: request.url, body: JSON.parse(await text(request)), socket: request.socket });
      response.end(JSON.stringify({ ids: [['7', '3']], distances: [[-1e-7, 0.5]] }));
    }),
  );
  const hits = [
    { key: 7, distance: 0 },
    { key: 3, distance: 0.5 },
  ];
  expect(await calls.query(database, question, [])).toEqual(hits);
  expect(await calls.query(database, question, [])).toEqual(hits);
  expect(asked[0]?.url).toBe('/db/collections/c1/query');
  expect(asked[0]?.body).toEqual({ query_embeddings: [[0.25, 1]], n_results: 2, include: ['distances'] });
  expect(asked[1]?.socket).toBe(asked[0]?.socket);
});

it.each([
  ['an error', 500, '{"error":"InternalError"}'],
  ['no JSON', 200, 'busy'],
  ['lists of different lengths', 200, '{"ids":[["1","2"]],"distances":[[0.1]]}'],
  ['no distance', 200, '{"ids":[["1"]],"distances":[[null]]}'],
  ['nothing of the kind', 200, 'null'],
])('leaves it to the client when the server answers with %s', async (_, status, body) => {
  const database = await serve((_request, response) => response.writeHead(status).end(body));
  expect(await calls.query(database, question, [])).toBeUndefined();
});

it('leaves it to the client when the connection breaks, or there is none', async () => {
  const database = await serve((request) => request.socket.destroy());
  expect(await calls.query(database, question, [])).toBeUndefined();
  await stop();
  expect(await calls.query(database, question, [])).toBeUndefined();
  stop = async () => {};
});

it('ends when one of the signals aborts, and asks nothing when one has', async () => {
  let requests = 0;
  const caller = new AbortController();
  const database = await serve(() => {
    requests += 1;
    caller.abort(new Error('left'));
  });
  const endings = [new AbortController().signal, caller.signal];
  await expect(calls.query(database, question, endings)).rejects.toThrow('left');
  await expect(calls.query(database, question, endings)).rejects.toThrow('left');
  expect(requests).toBe(1);
});

const write = {
  collection: 'c1',
  records: [
    { key: 7, vector: Float32Array.of(0.25, 1) },
    { key: 3, vector: Float32Array.of(9, 9, -2, 0.5).subarray(2) },
  ],
};

it('writes vectors as base64', async () => {
  const asked: { url: string | undefined; body: unknown }[] = [];
  const database = await serve(
    cutOnFailure(async (request, response) => {
      asked.push({ url: request.url, body: JSON.parse(await text(request)) });
      response.end('{}');
    }),
  );
  expect(await calls.upsert(database, write, [])).toBe(true);
  const embeddings = ['AACAPgAAgD8=', 'AAAAwAAAAD8='];
  expect(asked).toEqual([{ url: '/db/collections/c1/upsert', body: { ids: ['7', '3'], embeddings } }]);
});

it('leaves a write to the client that the server refuses, or when there is none', async () => {
  const database = await serve((_request, response) => response.writeHead(500).end('{"error":"InternalError"}'));
  expect(await calls.upsert(database, write, [])).toBe(false);
  await stop();
  expect(await calls.upsert(database, write, [])).toBe(false);
  stop = async () => {};
});

it('ends a write when one of the signals aborts', async () => {
  const caller = new AbortController();
  const database = await serve(() => caller.abort(new Error('left')));
  await expect(calls.upsert(database, write, [caller.signal])).rejects.toThrow('left');
});
