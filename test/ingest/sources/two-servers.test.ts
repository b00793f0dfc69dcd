import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { openWeb } from '../../../src/adapters/open-web.ts';
import { compose } from '../../../src/compose/compose.ts';
import type { SourceLocation } from '../../../src/store/followed-sources.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { createSecretBox } from '../../../src/store/secrets/secret-box.ts';
import { adaptersOver } from '../../support/adapters.ts';
import { keysOf, startBucket } from '../../support/bucket-server.ts';
import { openNetwork } from '../../support/collect-listing.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { PATIENT } from '../../support/patience.ts';
import { embeddingText } from '../../support/store.ts';

describePostgres('Two servers that are asked for the same synchronisation', () => {
  it('list a source one after the other, read each item once, and one continues when the other ends', async () => {
    const objects = new Map(
      Array.from({ length: 12 }, (_, number) => [`${number}.md`, `Text ${number}.`] as [string, string]),
    );
    const bucket = await startBucket(objects);
    const url = await postgresDatabase();
    const index = memoryVectorIndex();
    let listings = 0;
    let max = 0;
    const reads: string[] = [];

    async function startServer() {
      const store = await openPostgresStore({ url, index, embeddingText, readers: 2 });
      const web = openWeb({ openHosts: [], obeysRobots: true, engines: [] }, { analyse, analyseQuery });
      const network = openNetwork();
      const watched: typeof fetch = async (...request) => {
        const address = String(request[0]);
        if (!address.includes('list-type')) {
          reads.push(address);
          return network.fetch(...request);
        }
        max = Math.max(max, ++listings);
        // As long as a listing that two could begin.
        await sleep(300);
        return network.fetch(...request).finally(() => {
          listings--;
        });
      };
      const adapters = adaptersOver(
        { ...store, index },
        {
          web: { ...web, network: { ...network, fetch: watched } },
          close: store.close,
          secrets: createSecretBox(async () => 'k'.repeat(32)),
        },
      );
      const services = await compose(adapters).start({ resumes: true });
      let closed: Promise<void> | undefined;
      const close = () => {
        closed ??= services.close().then(() => web.close());
        return closed;
      };
      onTestFinished(close);
      return { ...services, close };
    }

    const one = await startServer();
    const other = await startServer();
    const location: SourceLocation = {
      type: 's3',
      address: 's3://papers/',
      keepDeleted: false,
      everyMinutes: null,
      kind: 'remote',
      settings: { bucket: 'papers', endpoint: bucket.endpoint },
    };
    const { id } = await other.followed.add({
      location,
      owner: defaultAdmin,
      collectionIds: async () => [],
      credentials: keysOf('RIGHT'),
      isTried: false,
    });
    await Promise.all([one, other, one, other].map(({ followed }) => followed.sync(id).catch(() => undefined)));
    const reported = async (server: typeof one) =>
      (await server.followed.list()).find((source) => source.id === id)?.lastSync;
    await vi.waitFor(async () => expect((await reported(other))?.endedAt).toEqual(expect.any(String)), PATIENT);
    await vi.waitFor(() => expect(listings).toBe(0), PATIENT);
    expect([max, reads.length, new Set(reads).size]).toEqual([1, 12, 12]);

    await one.close();
    objects.set('new.md', 'A new text.');
    const before = (await reported(other))?.startedAt;
    // Until the other one has noticed that the first one is gone, it begins nothing.
    await vi.waitFor(async () => {
      await other.followed.sync(id);
      expect((await reported(other))?.startedAt).not.toBe(before);
    }, PATIENT);
    // Another request would begin the next one.
    await vi.waitFor(async () => expect((await reported(other))?.endedAt).toEqual(expect.any(String)), PATIENT);
    expect([max, reads.filter((address) => address.includes('new.md')).length]).toEqual([1, 1]);
  });
});
