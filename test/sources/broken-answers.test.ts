import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createJsonRequests } from '../../src/sources/json-requests.ts';
import { openS3 } from '../../src/sources/s3/s3-connector.ts';
import { openNetwork, readOptions } from '../support/collect-listing.ts';

/** A server whose connection breaks within each answer. */
async function startBroken() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"a":', () => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  const network = openNetwork();
  onTestFinished(network.close);
  return { network, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

const broken = { code: 'provider_failed', message: expect.stringContaining('broke off') };

// Only errors of the service are taken as those of one item, and tried again.
describe('an answer that breaks off', () => {
  it('is an error of the service for interfaces of JSON', async () => {
    const { network, url } = await startBroken();
    const requests = createJsonRequests({ name: 'The wiki', network, headers: async () => ({}) });
    await expect(requests.json(new URL(url), z.object({}), readOptions)).rejects.toMatchObject(broken);
    await expect(requests.file(new URL(url), readOptions)).rejects.toMatchObject(broken);
  });

  it('is an error of the service for S3', async () => {
    const { network, url } = await startBroken();
    const bucket = openS3({ bucket: 'papers', endpoint: url } as never, {} as never, { network });
    const item = { kind: 'item', key: 'a.md', version: '1', uri: 's3://papers/a.md', fileName: 'a.md' } as const;
    await expect(bucket.read(item, readOptions)).rejects.toMatchObject(broken);
  });
});
