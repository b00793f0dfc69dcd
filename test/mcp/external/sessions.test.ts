import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { expect, it, onTestFinished } from 'vitest';
import { callTool } from '../../../src/toolbox/call-tool.ts';
import type { ToolContext } from '../../../src/toolbox/tool-context.ts';
import { cutOnFailure } from '../../support/cut-on-failure.ts';
import { externalTools } from './hostile-servers.ts';

/** A server of earlier protocol revisions, which keeps sessions; the returned function discards them. */
async function serverWithSessions() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: 'older', version: '1.0.0' });
    server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
    await server.connect(transport as never);
    return transport;
  };
  const http = createServer(
    cutOnFailure(async (request, response) => {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (id !== undefined && known === undefined) response.writeHead(404).end();
      else await (known ?? (await open())).handleRequest(request, response);
    }),
  ).listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  return { url, forget: () => sessions.clear(), opened: () => sessions.size };
}

it('calls start one new session when the server has lost the old one', async () => {
  const { url, forget, opened } = await serverWithSessions();
  const external = externalTools([
    { name: 'older', tools: '*', deadline: 5_000, transport: { kind: 'http', url, headers: {} } },
  ]);
  const tools = await external.offer();
  const context = { maxCharacters: 1_000, signal: new AbortController().signal } as ToolContext;
  const greet = () => callTool({ id: '1', name: 'older__greet', arguments: {} }, tools, context);
  expect(await greet()).toMatchObject({ isError: false, output: { text: 'hello' } });
  forget();
  expect(await greet()).toMatchObject({ isError: false, output: { text: 'hello' } });
  forget();
  const results = await Promise.all([greet(), greet(), greet()]);
  for (const result of results) expect(result).toMatchObject({ isError: false, output: { text: 'hello' } });
  expect(opened()).toBe(1);
});
