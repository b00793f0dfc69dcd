import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCitationSessions } from '../../src/mcp/citation-sessions.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { foundChunk } from '../support/found.ts';
import { PATIENT } from '../support/patience.ts';
import { eraOptions, textOf } from './support/citewell-mcp.ts';
import { type InProcess, startInProcess } from './support/in-process.ts';

async function startTwo() {
  const shared = { url: await postgresDatabase(), index: memoryVectorIndex() };
  return [await startInProcess({ shared }), await startInProcess({ shared })] as const;
}

/** A client behind a proxy that sends each request to the next server. */
async function connectInTurns(servers: readonly InProcess[]) {
  let count = 0;
  const asked: string[] = [];
  const next: typeof fetch = (address, init) => {
    const server = servers[count++ % servers.length] as InProcess;
    asked.push(server.url);
    return fetch(String(address).replace(servers[0]?.url ?? '', server.url), init);
  };
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions('modern'));
  const transport = new StreamableHTTPClientTransport(new URL(servers[0]?.url ?? ''), { fetch: next });
  onTestFinished(() => client.close());
  return { client, transport, asked };
}

describePostgres('MCP over several servers', () => {
  it('needs no sticky sessions with revision 2026-07-28', async () => {
    const servers = await startTwo();
    await servers[0].add('Otters', 'Otters hold hands while they sleep.');
    const { client, transport, asked } = await connectInTurns(servers);
    await client.connect(transport);
    for (let turn = 0; turn < 2; turn++) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(6);
      const found = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'otters' } });
      expect(textOf(found)).toContain('hold hands');
      expect((await client.readResource({ uri: 'kb://index' })).contents).toHaveLength(1);
    }
    expect(new Set(asked)).toEqual(new Set(servers.map(({ url }) => url)));
  });

  it('notifies a listening client of a document that another server ingested', async () => {
    const [one, other] = await startTwo();
    const client = await one.connect('modern');
    const received: string[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      received.push('list');
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      received.push(params.uri);
    });
    const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['kb://index'] });
    await other.add('Otters', 'Otters hold hands while they sleep.');
    await vi.waitFor(() => expect(received).toEqual(expect.arrayContaining(['list', 'kb://index'])), PATIENT);
    await subscription.close();
  });

  it('gives the sources of a user the same numbers on all servers, each number once', async () => {
    const [one, other] = await startTwo();
    await one.add('Otters', 'Otters hold hands while they sleep.');
    await one.add('Herons', 'Herons stand on one leg in the water.');
    const search = async (server: InProcess, query: string) => {
      const client = await server.connect('modern');
      return textOf(await client.callTool({ name: 'search_file_knowledge', arguments: { query, limit: 1 } }));
    };
    expect(await search(one, 'otters')).toMatch(/\[1\]/);
    expect(await search(other, 'herons')).toMatch(/\[2\]/);
    expect(await search(other, 'otters')).toMatch(/\[1\]/);
    const client = await one.connect('modern');
    const answer = 'Otters hold hands while they sleep [1]. Herons stand on one leg in the water [2].';
    const { structuredContent } = await client.callTool({ name: 'check_citations', arguments: { answer } });
    expect(structuredContent).toMatchObject({ supported: 2 });
  });

  it('keeps numbers assigned by concurrent calls', async () => {
    const [one] = await startTwo();
    const citationsOf = createCitationSessions(one.services.sharedCitations);
    const name = { userId: 'ada', session: undefined };
    const calls = await Promise.all(Array.from({ length: 8 }, () => citationsOf(name)));
    const numbers = calls.map(({ cite }, index) => cite({ kind: 'chunk', chunk: foundChunk(`Otter ${index}.`) }));
    for (const call of calls) await call.keep();
    expect(new Set(numbers).size).toBe(8);
    const later = await citationsOf(name);
    expect(numbers.filter((number) => later.cited(number) === undefined)).toEqual([]);
    await later.keep();
  });

  it('answers 404 to a session of another server, and a client that reconnects continues', async () => {
    const servers = await startTwo();
    await servers[0].add('Otters', 'Otters hold hands while they sleep.');
    const client = new FormerClient({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    let [server] = servers as readonly InProcess[];
    const statuses: number[] = [];
    const proxied: typeof fetch = async (address, init) => {
      const response = await fetch(String(address).replace(servers[0].url, server?.url ?? ''), init);
      statuses.push(response.status);
      return response;
    };
    const connect = () =>
      client.connect(new FormerTransport(new URL(servers[0].url), { fetch: proxied }) as unknown as Transport);
    await connect();
    await client.listTools();
    server = servers[1];
    await expect(client.listTools()).rejects.toThrow(/There is no such session; initialize a new one/);
    expect(statuses.at(-1)).toBe(404);
    await client.close();
    await connect();
    const found = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'otters' } });
    expect(textOf(found)).toContain('hold hands');
  });
});
