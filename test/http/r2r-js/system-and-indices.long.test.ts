import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type R2rUser, type RunningR2r, startR2r } from '../support/start-r2r.ts';

let server: RunningR2r;
let bob: R2rUser;

beforeAll(async () => {
  server = await startR2r();
  bob = await server.newcomer('bob');
  await server.admin.client.documents.create({ raw_text: 'A passage.' });
});
afterAll(() => server.close());

const config = (change: object = {}) =>
  ({ table_name: 'chunks', index_method: 'hnsw', index_measure: 'cosine_distance', ...change }) as never;

describe('the system client', () => {
  it('shows health to all, status and settings to superusers', async () => {
    const { system } = server.admin.client;
    expect((await system.health()).results.message).toBe('ok');
    expect((await system.status()).results).toMatchObject({
      startTime: expect.any(String),
      uptimeSeconds: expect.any(Number),
      cpuUsage: expect.any(Number),
      memoryUsage: expect.any(Number),
    });
    const { results } = await system.settings();
    expect(results).toMatchObject({ config: expect.any(Object), r2rProjectName: 'citewell' });
    expect(results.prompts).toHaveProperty('rag');
    expect((await bob.client.system.health()).results.message).toBe('ok');
    await expect(bob.client.system.status()).rejects.toThrow(/Status 403/);
    await expect(bob.client.system.settings()).rejects.toThrow(/Status 403/);
  });
});

describe('the indices client', () => {
  it('lists the existing index, and finds it with either order of arguments', async () => {
    const { indices } = server.admin.client;
    const listed = (await indices.list()) as unknown as {
      results: { indices: { index: { name: string; vectors: number } }[] };
      totalEntries: number;
    };
    expect(listed.totalEntries).toBe(1);
    const [{ index } = { index: { name: '', vectors: 0 } }] = listed.results.indices;
    expect(index).toMatchObject({ indexMethod: 'hnsw', indexMeasure: 'cosine_distance', state: 'current', vectors: 1 });
    const names = { indexName: index.name, tableName: 'chunks' };
    expect((await indices.retrieve(names)).results).toMatchObject({ index: { name: index.name } });
    const swapped = { indexName: 'chunks', tableName: index.name };
    expect((await indices.retrieve(swapped)).results).toMatchObject({ index: { name: index.name } });
    await expect(indices.delete(names)).rejects.toThrow(/Status 409.*searches are answered from it/);
    await expect(indices.retrieve({ indexName: 'none', tableName: 'chunks' })).rejects.toThrow(/Status 404/);
  });

  it('repairs the index when the same one is created again, and refuses others with the possible values', async () => {
    const { indices } = server.admin.client;
    const asked = config({ index_arguments: { m: 16, ef_construction: 64 } });
    const { results } = await indices.create({ config: asked, runWithOrchestration: false });
    expect(results.message).toMatch(/was compared with the records and is up to date/);
    expect((await indices.create({ config: config() })).results.message).toMatch(/is being compared/);
    const refused: readonly [object, RegExp][] = [
      [{ index_measure: 'l2_distance' }, /Status 400.*compares the stored vectors exactly/],
      [{ index_method: 'ivf_flat' }, /Status 400.*use "hnsw"/],
      [{ table_name: 'graphs_entities' }, /Status 400.*Only chunks/],
      [{ index_arguments: { m: 64 } }, /Status 400.*use 16 or less/],
      [{ index_arguments: { n_lists: 4 } }, /Status 400.*no argument "n_lists"/],
    ];
    for (const [change, reason] of refused)
      await expect(indices.create({ config: config(change) })).rejects.toThrow(reason);
  });

  it('is restricted to superusers', async () => {
    await expect(bob.client.indices.list()).rejects.toThrow(/Status 403/);
  });
});
