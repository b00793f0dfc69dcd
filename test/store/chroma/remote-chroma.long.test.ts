import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EmbeddedChroma } from '../../../src/store/chroma/embedded-chroma.ts';
import { createRemoteChroma, type RemoteChromaOptions } from '../../../src/store/chroma/remote-chroma.ts';
import { vectorIndexContract } from '../../contracts/vector-index.ts';
import { cutOnFailure } from '../../support/cut-on-failure.ts';
import { silentLog, startEmbeddedChroma } from '../../support/embedded-chroma.ts';

let server: EmbeddedChroma;
beforeAll(async () => {
  server = await startEmbeddedChroma();
});
afterAll(() => server.close());

const urlOf = (chroma: EmbeddedChroma): string => {
  if (chroma.server.kind !== 'running') throw new Error('It should run.');
  return chroma.server.url;
};

const remote = (options: Partial<RemoteChromaOptions> = {}) =>
  createRemoteChroma({ url: urlOf(server), log: silentLog, ...options });

vectorIndexContract('A remote Chroma', async () => remote({ prefix: 'contract' }));

describe('a remote Chroma', () => {
  it('neither lists nor changes collections of other programs', async () => {
    const one = remote({ prefix: 'one' });
    const two = remote({ prefix: 'two' });
    const ours = await one.open('same name', 4);
    const theirs = await two.open('same name', 4);
    await ours.upsert([{ key: 1, vector: Float32Array.of(1, 0, 0, 0) }]);
    expect(await theirs.count()).toBe(0);
    expect(await one.list()).toEqual(['same name']);
    await two.drop('same name');
    expect(await two.list()).toEqual([]);
    expect(await ours.count()).toBe(1);
  });

  it('is unhealthy and names its address when nothing listens there', async () => {
    const index = remote({ url: 'http://127.0.0.1:9' });
    expect(await index.isHealthy()).toBe(false);
    await expect(index.open('space', 4)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/no connection to Chroma at http:\/\/127\.0\.0\.1:9\..*CHROMA_URL/),
    });
    await expect(index.list()).rejects.toMatchObject({ code: 'store_failed' });
  });

  it('names the variables to check when it refuses access', async () => {
    const index = remote({ url: await answering(401, {}), token: 'wrong' });
    expect(await index.isHealthy()).toBe(false);
    await expect(index.open('space', 4)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/CHROMA_TOKEN, CHROMA_TENANT and CHROMA_DATABASE/),
    });
  });

  it('asks for a database when the token belongs to several', async () => {
    const url = await answering(200, { user_id: 'u', tenant: 't', databases: ['papers', 'mails'] });
    await expect(remote({ url }).open('space', 4)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(/CHROMA_DATABASE: one of papers, mails/),
    });
  });

  it('sends the token, other headers, tenant and database with every request', async () => {
    const seen: IncomingMessage[] = [];
    const url = await answering(200, [], (request) => seen.push(request));
    const index = remote({ url, token: 'secret', tenant: 't', database: 'd', headers: { 'x-proxy': 'p' } });
    await index.list();
    await index.isHealthy();
    expect(seen.map(({ url, headers }) => [url?.split('?')[0], headers['x-chroma-token'], headers['x-proxy']])).toEqual(
      [
        ['/api/v2/tenants/t/databases/d/collections', 'secret', 'p'],
        ['/api/v2/tenants/t/databases/d/collections_count', 'secret', 'p'],
      ],
    );
  });

  it('recreates a collection that another program removed, and reports it', async () => {
    const index = remote({ prefix: 'shared' });
    let recoveries = 0;
    index.onRecovered(() => {
      recoveries += 1;
    });
    const collection = await index.open('space', 4);
    await remote({ prefix: 'shared' }).drop('space');
    await expect(collection.count()).rejects.toMatchObject({ message: expect.stringContaining('being rebuilt') });
    expect(recoveries).toBe(1);
    await collection.upsert([{ key: 5, vector: Float32Array.of(0, 1, 0, 0) }]);
    expect(await collection.count()).toBe(1);
  });

  it('keeps its data when the server fails for a while', async () => {
    let fails = true;
    const url = await forwarding(urlOf(server), () => fails);
    const direct = await remote({ prefix: 'kept' }).open('space', 4);
    await direct.upsert([{ key: 5, vector: Float32Array.of(0, 1, 0, 0) }]);
    const index = remote({ url, prefix: 'kept' });
    await expect(index.open('space', 4)).rejects.toMatchObject({ code: 'store_failed' });
    fails = false;
    expect(await (await index.open('space', 4)).count()).toBe(1);
  });
});

/** A server with the same response to every request. */
async function answering(
  status: number,
  body: unknown,
  see: (request: IncomingMessage) => void = () => undefined,
): Promise<string> {
  const answering = createServer((request, response) => {
    see(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return listening(answering);
}

/** A proxy for another server, which answers 500 while `fails`. */
async function forwarding(target: string, fails: () => boolean): Promise<string> {
  return listening(
    createServer(
      cutOnFailure(async (request, response) => {
        if (fails()) return void response.writeHead(500).end('{"error":"Error constructing hnsw segment reader"}');
        const method = request.method ?? 'GET';
        const body = method === 'GET' ? null : new Uint8Array(Buffer.concat(await request.toArray()));
        const answer = await fetch(new URL(request.url ?? '/', target), {
          method,
          body,
          headers: { 'content-type': 'application/json' },
        });
        const bytes = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes);
      }),
    ),
  );
}

async function listening(listener: ReturnType<typeof createServer>): Promise<string> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('It should have a port.');
  return `http://127.0.0.1:${address.port}`;
}
