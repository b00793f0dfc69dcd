import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedChroma, openEmbeddedChroma } from '../../../src/store/chroma/embedded-chroma.ts';
import type { VectorRecord } from '../../../src/store/vector-index.ts';
import { bindingCache, silentLog } from '../../support/embedded-chroma.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DIMENSIONS = 8;

/** More than Chroma buffers before it writes the graph to disk. */
const ENOUGH_TO_PERSIST = 2_400;

// Square roots, because sines of integers nearly repeat: 710 is almost 226 pi, so the vectors of 7 and 717 would be
// equal.
const vectorOf = (key: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, axis) => Math.sin(key * Math.sqrt(axis + 2)));

const records: readonly VectorRecord[] = Array.from({ length: ENOUGH_TO_PERSIST }, (_, index) => ({
  key: index + 1,
  vector: vectorOf(index + 1),
}));
const probe = vectorOf(7);

const openOn = async (folder: string): Promise<{ chroma: EmbeddedChroma; recoveries: () => number }> => {
  const chroma = await openEmbeddedChroma({ folder, cacheFolder: bindingCache, log: silentLog });
  onTestFinished(() => chroma.close());
  let recoveries = 0;
  chroma.onRecovered(() => {
    recoveries += 1;
  });
  return { chroma, recoveries: () => recoveries };
};

/** A folder with a collection `kept` whose graph is on disk, and no running server. */
const persisted = async (): Promise<{ folder: string; graph: string }> => {
  const folder = join(await temporaryFolder(), 'chroma');
  const { chroma } = await openOn(folder);
  await (await chroma.open('kept', DIMENSIONS)).upsert(records);
  await chroma.close();
  const graph = (await readdir(folder, { withFileTypes: true })).find((entry) => entry.isDirectory());
  if (!graph) throw new Error('Chroma did not write its graph.');
  return { folder, graph: join(folder, graph.name) };
};

describe('a vector collection on disk', () => {
  it('is complete after a restart', async () => {
    const { folder } = await persisted();
    const { chroma, recoveries } = await openOn(folder);
    const collection = await chroma.open('kept', DIMENSIONS);
    expect(await collection.count()).toBe(records.length);
    expect((await collection.nearest(probe, 1))[0]).toMatchObject({ key: 7 });
    expect(recoveries()).toBe(0);
  });

  it.each([
    ['a header of rubbish', (graph: string) => writeFile(join(graph, 'header.bin'), Buffer.alloc(100, 7))],
    ['an empty header', (graph: string) => truncate(join(graph, 'header.bin'))],
    ['a rubbish list of its keys', (graph: string) => writeFile(join(graph, 'index_metadata.pickle'), 'rubbish')],
    ['links that crash the server', (graph: string) => truncate(join(graph, 'link_lists.bin'), 4)],
  ])('is rebuilt empty after damage by %s, and the loss is reported', async (_, damage) => {
    const { folder, graph } = await persisted();
    await damage(graph);
    const { chroma, recoveries } = await openOn(folder);
    const collection = await chroma.open('kept', DIMENSIONS);
    expect(await collection.count()).toBe(0);
    expect(recoveries()).toBeGreaterThan(0);
    await collection.upsert(records.slice(0, 10));
    expect((await collection.nearest(probe, 1))[0]).toMatchObject({ key: 7 });
    expect(await chroma.list()).toEqual(['kept']);
  });
});

describe('a vector collection in use', () => {
  it('answers again after the server was killed, which searches do not wait for', async () => {
    const { chroma, recoveries } = await openOn(join(await temporaryFolder(), 'chroma'));
    const collection = await chroma.open('kept', DIMENSIONS);
    await collection.upsert(records.slice(0, 20));
    if (chroma.server.kind !== 'running') throw new Error('It should run.');
    process.kill(chroma.server.pid, 'SIGKILL');
    // At once: the call meets a broken connection or a starting server.
    await expect(collection.nearest(probe, 1)).rejects.toMatchObject({ code: 'store_failed', retryAfter: 5 });
    expect(recoveries()).toBe(0);
    expect(await collection.count()).toBe(20);
    expect((await collection.nearest(probe, 1))[0]).toMatchObject({ key: 7 });
    await expect.poll(recoveries, PATIENT).toBe(1);
    expect(await chroma.isHealthy()).toBe(true);
  });

  it('reports that it is being rebuilt after a loss, and then works again', async () => {
    const { chroma, recoveries } = await openOn(join(await temporaryFolder(), 'chroma'));
    const collection = await chroma.open('kept', DIMENSIONS);
    await collection.upsert(records.slice(0, 20));
    await dropCollections(chroma);
    await expect(collection.nearest(probe, 1)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('being rebuilt'),
    });
    expect(recoveries()).toBe(1);
    await collection.upsert(records.slice(0, 20));
    expect(await collection.count()).toBe(20);
  });

  it('is not recreated once dropped', async () => {
    const { chroma, recoveries } = await openOn(join(await temporaryFolder(), 'chroma'));
    const collection = await chroma.open('kept', DIMENSIONS);
    await chroma.drop('kept');
    await expect(collection.upsert(records.slice(0, 1))).rejects.toMatchObject({ code: 'store_failed' });
    expect(await chroma.list()).toEqual([]);
    expect(recoveries()).toBe(0);
  });

  it('refuses vectors of another length, also after a restart', async () => {
    const folder = join(await temporaryFolder(), 'chroma');
    const { chroma } = await openOn(folder);
    await chroma.open('kept', DIMENSIONS);
    await expect(chroma.open('kept', 9)).rejects.toThrow(/8 numbers, not 9/);
    await chroma.close();
    const { chroma: next } = await openOn(folder);
    await expect(next.open('kept', 9)).rejects.toThrow(/8 numbers, not 9/);
  });
});

async function dropCollections(chroma: EmbeddedChroma): Promise<void> {
  if (chroma.server.kind !== 'running') throw new Error('It should run.');
  const path = 'api/v2/tenants/default_tenant/databases/default_database/collections/citewell-kept';
  const response = await fetch(new URL(path, chroma.server.url), { method: 'DELETE' });
  expect(response.ok).toBe(true);
}
