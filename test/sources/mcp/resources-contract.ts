import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createExternalResources } from '../../../src/mcp/external-resources.ts';
import type { ExternalServer } from '../../../src/mcp/external-servers.ts';
import type { RemoteItem } from '../../../src/sources/connector.ts';
import { mcpKind } from '../../../src/sources/mcp/mcp-kind.ts';
import { collectListing, readOptions } from '../../support/collect-listing.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Offer, type OfferedResource, resourceServer } from './resource-server.ts';

const PROCESS = fileURLToPath(new URL('./resource-process.ts', import.meta.url));
export const DATED = '2026-01-31T10:00:00Z';
export const common = { name: 'library', tools: [], resources: true, deadline: 60_000 } as const;

export async function offered(offer: Offer) {
  const file = join(await temporaryFolder(), 'resources.json');
  const offers = (next: Offer) => writeFile(file, JSON.stringify(next));
  await offers(offer);
  return { file, offers };
}

export const overStdio = async (file: string): Promise<ExternalServer> => ({
  ...common,
  transport: { kind: 'stdio', command: process.execPath, args: [PROCESS], env: { RESOURCES: file } },
});

export async function overHttp(file: string, requests: string[] = [], token?: string): Promise<ExternalServer> {
  const handler = toNodeHandler(createMcpHandler(() => resourceServer(file, requests)));
  const server = createServer((request, response) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end();
    else void handler(request as never, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const headers = token === undefined ? {} : { authorization: 'Bearer right' };
  return { ...common, transport: { kind: 'http', url: new URL(`http://127.0.0.1:${port}/mcp`), headers } };
}

export async function open(server: ExternalServer) {
  const mcp = createExternalResources({ servers: [server], version: '1.0.0', maxMessageBytes: 1_000_000 });
  const connector = await mcpKind.open({ server: 'library' } as never, {} as never, { mcp, network: {} as never });
  onTestFinished(() => connector.close?.());
  return connector;
}

export const handbook: OfferedResource = {
  uri: 'library://books/handbook',
  title: 'Handbook\n"v1"',
  mimeType: 'text/markdown',
  lastModified: DATED,
  text: '# Handbook\n\nOtters hold hands.',
  size: 30,
};
export const table: OfferedResource = {
  uri: 'library://tables/fares.csv',
  mimeType: 'text/csv',
  text: 'zone,fare\n1,2.50',
};
export const picture: OfferedResource = {
  uri: 'https://example.org/notes',
  name: 'Notes',
  mimeType: 'application/json',
  blob: Buffer.from('{"heron": 1}').toString('base64'),
};

/** What holds of resources, over either transport. */
export const describeResources = (way: string, start: (file: string) => Promise<ExternalServer>) =>
  describe(`resources of an MCP server ${way}`, () => {
    it('are listed over several pages and read, as text and as bytes', async () => {
      const { file } = await offered({ resources: [handbook, table, picture] });
      const connector = await open(await start(file));
      const { items, end } = await collectListing(connector);
      expect(end).toEqual({ kind: 'end', covers: 'all' });
      expect(items).toMatchObject([
        {
          key: handbook.uri,
          version: `${DATED} 30`,
          fileName: 'handbook.md',
          title: 'Handbook "v1"',
          size: 30,
          uri: `mcp://library/${encodeURIComponent(handbook.uri)}`,
          modified: '2026-01-31T10:00:00.000Z',
        },
        { key: table.uri, fileName: 'fares.csv', version: expect.stringContaining('not said') },
        { key: picture.uri, fileName: 'notes.json', link: picture.uri, title: 'Notes' },
      ]);
      const contents = await Promise.all(items.map((item) => connector.read(item, readOptions)));
      expect(contents.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
        handbook.text,
        table.text,
        '{"heron": 1}',
      ]);
      expect(contents.map(({ mediaType }) => mediaType)).toEqual(['text/markdown', 'text/csv', 'application/json']);
      const [first] = items;
      if (first === undefined) throw new Error('not listed');
      await expect(connector.read({ ...first, key: 'library://gone' }, readOptions)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.not.stringContaining('words of the server'),
      });
      await expect(connector.read(first, { ...readOptions, maxBytes: 10 })).rejects.toMatchObject({
        code: 'too_large',
      });
    });

    it('are abandoned one by one when too long or missing, and the others are read', async () => {
      const { file } = await offered({
        resources: [{ uri: 'x:huge', characters: 3_000_000 }, { uri: 'x:never', hangs: true }, handbook],
      });
      // Short only for the read that never ends: on a busy machine, any other one may take longer.
      let deadline: number = common.deadline;
      const server = await start(file);
      const connector = await open({
        ...server,
        get deadline() {
          return deadline;
        },
      });
      const [huge, never, last] = (await collectListing(connector)).items as [RemoteItem, RemoteItem, RemoteItem];
      await expect(connector.read(huge, readOptions)).rejects.toMatchObject({ code: 'too_large' });
      deadline = 300;
      await expect(connector.read(never, readOptions)).rejects.toMatchObject({ code: 'timeout' });
      deadline = common.deadline;
      await expect(connector.read(last, readOptions)).resolves.toMatchObject({ mediaType: 'text/markdown' });
    });

    it('listed endlessly are an error, and delete nothing', async () => {
      const { file } = await offered({ resources: [handbook], isEndless: true });
      await expect(collectListing(await open(await start(file)))).rejects.toThrow('without an end');
    });
  });
