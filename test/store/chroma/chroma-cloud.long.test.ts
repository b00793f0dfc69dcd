import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EmbeddedChroma } from '../../../src/store/chroma/embedded-chroma.ts';
import { createRemoteChroma, type RemoteChromaOptions } from '../../../src/store/chroma/remote-chroma.ts';
import { requestedPause } from '../../../src/store/chroma/retry-when-busy.ts';
import { IndexBusy } from '../../../src/store/vector-index.ts';
import { type ChromaCloud, type CloudLimits, startChromaCloud } from '../../support/chroma-cloud.ts';
import { silentLog, startEmbeddedChroma } from '../../support/embedded-chroma.ts';

const API_KEY = 'ck-secret-of-the-account';
const QUOTAS = { results: 300, records: 300, calls: 10, predicates: 8 };
let server: EmbeddedChroma;
let spaces = 0;

beforeAll(async () => {
  server = await startEmbeddedChroma();
});
afterAll(() => server.close());

async function startCloud(limits: Partial<CloudLimits> = {}): Promise<ChromaCloud> {
  if (server.server.kind !== 'running') throw new Error('It should run.');
  const cloud = await startChromaCloud(server.server.url, { apiKey: API_KEY, ...limits });
  onTestFinished(() => cloud.close());
  return cloud;
}

const connect = ({ url }: ChromaCloud, options: Partial<RemoteChromaOptions> = {}) =>
  createRemoteChroma({ url, token: API_KEY, database: 'default_database', log: silentLog, ...options });

const openIn = (cloud: ChromaCloud, options: Partial<RemoteChromaOptions> = {}) =>
  connect(cloud, options).open(`space ${++spaces}`, 4);

const vectorOf = (number: number) => Float32Array.of(Math.cos(number), Math.sin(number), Math.cos(number * 0.3), 0.5);
const records = (count: number) => Array.from({ length: count }, (_, key) => ({ key, vector: vectorOf(key) }));
const keysOf = (count: number) => Array.from({ length: count }, (_, key) => key);
const sorted = (numbers: readonly number[]) => numbers.toSorted((one, two) => one - two);

describe('an index behind the quotas of Chroma Cloud', () => {
  it('is written, listed, searched and emptied without exceeding one of them', async () => {
    const cloud = await startCloud();
    const collection = await openIn(cloud, { quotas: QUOTAS });
    await collection.upsert(records(1_000));
    expect(await collection.count()).toBe(1_000);
    expect(sorted(await collection.keys({ offset: 0, limit: 5_000 }))).toEqual(keysOf(1_000));
    expect(await collection.keys({ offset: 950, limit: 100 })).toHaveLength(50);
    expect(collection.maxResults).toBe(300);
    expect(await collection.nearest(vectorOf(17), 400)).toHaveLength(300);
    expect((await collection.nearest(vectorOf(17), 1))[0]?.key).toBe(17);
    await collection.remove(keysOf(700));
    expect(sorted(await collection.keys({ offset: 0, limit: 5_000 }))).toEqual(keysOf(1_000).slice(700));
    expect(cloud.refused).toEqual([]);
    expect(cloud.calls).toEqual(expect.arrayContaining(['upsert 300', 'upsert 100', 'delete 300', 'query 300']));
  });

  it('has as many calls at the same time as allowed, and lets the others wait', async () => {
    const cloud = await startCloud();
    const collection = await openIn(cloud, { quotas: QUOTAS });
    await collection.upsert(records(300));
    const { promise, resolve } = Promise.withResolvers<void>();
    cloud.hold = promise;
    const searches = Array.from({ length: 40 }, (_, number) => collection.nearest(vectorOf(number), 3));
    await expect.poll(() => cloud.most.read).toBe(10);
    resolve();
    for (const hits of await Promise.all(searches)) expect(hits).toHaveLength(3);
    expect(cloud.most.read).toBe(10);
    expect(cloud.refused).toEqual([]);
  });

  it('receives smaller calls after it refused one, when its quotas were not known', async () => {
    const cloud = await startCloud({ records: 70, results: 90 });
    const collection = await openIn(cloud);
    await collection.upsert(records(500));
    expect(sorted(await collection.keys({ offset: 0, limit: 5_000 }))).toEqual(keysOf(500));
    expect(await collection.nearest(vectorOf(1), 200)).toHaveLength(90);
    await collection.remove(keysOf(200));
    expect(await collection.count()).toBe(300);
    expect(cloud.refused).toEqual([
      expect.stringContaining("'Number of records' exceeded quota limit for action 'Upsert': current usage of 500"),
      expect.stringContaining("'Limit value' exceeded quota limit for action 'Get': current usage of 5000"),
    ]);
  });

  it('omits records of others, and follows changes of access scopes', async () => {
    const cloud = await startCloud();
    const collection = await openIn(cloud, { quotas: QUOTAS });
    const scoped = (key: number, owner: string, ...collections: string[]) => ({ key, scope: { owner, collections } });
    const records = [
      scoped(0, 'me'),
      scoped(1, 'me', 'b', 'a'),
      scoped(2, 'them', 'b'),
      scoped(3, 'them', 'c', 'd', 'e', 'f'),
      scoped(4, 'them'),
    ];
    await collection.upsert(records.map((one) => ({ ...one, vector: vectorOf(one.key) })));
    const find = async (owners: string[], collections: string[]) =>
      sorted((await collection.nearest(vectorOf(0), 10, undefined, [{ owners, collections }])).map(({ key }) => key));
    expect(collection.scopes?.areComplete()).toBe(true);
    expect(await find(['me'], [])).toEqual([0, 1]);
    // A record in more collections than are named may always be among them.
    expect(await find([], ['b'])).toEqual([1, 2, 3]);
    expect(await find(['me'], ['x', 'b'])).toEqual([0, 1, 2, 3]);
    await collection.scopes?.set([scoped(1, 'me'), scoped(3, 'them', 'b'), scoped(99, 'me')]);
    expect(await find([], ['b'])).toEqual([2, 3]);
    expect(await collection.count()).toBe(5);
    expect(cloud.refused).toEqual([]);
  });

  it('waits as long as a busy server asks, and repeats the call', async () => {
    const cloud = await startCloud();
    const collection = await openIn(cloud, { quotas: QUOTAS });
    cloud.failures.push(
      { status: 429, headers: { 'retry-after': '1' }, message: 'Too many requests; backoff and try again' },
      { status: 503, headers: { 'retry-after': '0' }, message: 'The service is restarting' },
      { status: 429, message: 'Too many requests; backoff and try again' },
    );
    const startedAt = performance.now();
    await collection.upsert(records(1));
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    expect(await collection.count()).toBe(1);
    expect(cloud.failures).toEqual([]);
  });

  it('leaves a search to the stored vectors when the server is busy for longer', async () => {
    const cloud = await startCloud();
    const collection = await openIn(cloud, { quotas: QUOTAS });
    cloud.failures.push({ status: 429, headers: { 'retry-after': '30' }, message: 'Too many requests' });
    await expect(collection.nearest(vectorOf(1), 1)).rejects.toThrow(IndexBusy);
    expect(await collection.nearest(vectorOf(1), 1)).toEqual([]);
  });

  it('says what was exceeded when smaller calls would not help', async () => {
    const cloud = await startCloud({ dimensions: 3 });
    await expect(openIn(cloud, { quotas: QUOTAS })).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining("'Embedding dimension' exceeded quota limit"),
    });
    const paid = await startCloud();
    const collection = await openIn(paid, { quotas: QUOTAS });
    paid.failures.push({ status: 422, message: 'Billing limit exceeded: 100 USD' });
    await expect(collection.upsert(records(1))).rejects.toMatchObject({
      message: expect.stringContaining('Billing limit exceeded'),
    });
  });

  it('shows its key in no message', async () => {
    const cloud = await startCloud();
    const messages: string[] = [];
    const note = (_: unknown, message: string) => messages.push(message);
    const index = connect(cloud, { token: `${API_KEY}-wrong`, log: { info: note, warn: note } });
    const failure: unknown = await index.open('space', 4).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/refuses our requests. Check CHROMA_API_KEY/);
    expect(JSON.stringify([failure, String(failure), messages])).not.toContain(API_KEY);
  });
});

it.each([
  ['3', 3_000],
  [' 0', 0],
  ['Mon, 23 Nov 2026 00:00:05 GMT', 5_000],
  ['Sun, 22 Nov 2026 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('a Retry-After of %j is a pause of %j ms', (header, pause) => {
  expect(requestedPause(header, Date.parse('2026-11-23T00:00:00Z'))).toBe(pause);
});
