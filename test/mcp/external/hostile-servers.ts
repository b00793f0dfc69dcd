import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { ConnectionTimings } from '../../../src/mcp/external-connection.ts';
import type { ExternalServer } from '../../../src/mcp/external-servers.ts';
import { createExternalTools } from '../../../src/mcp/external-tools.ts';
import type { Tool } from '../../../src/toolbox/tool.ts';
import { strangeServer } from './hostile-tools.ts';

const PROCESS = fileURLToPath(new URL('./hostile-process.ts', import.meta.url));
/** Long enough for a busy machine; tests of a deadline set their own. */
const common = { name: 'strange', tools: '*', deadline: 60_000 } as const;

/** A server in a separate process, over stdio. */
export const overStdio = (change: Partial<ExternalServer> = {}): ExternalServer => ({
  ...common,
  transport: { kind: 'stdio', command: process.execPath, args: [PROCESS], env: { LISTED: 'yes' } },
  ...change,
});

/** A server in this process, over HTTP. */
export async function overHttp(change: Partial<ExternalServer> = {}, port = 0) {
  const handler = toNodeHandler(createMcpHandler(() => strangeServer()));
  const server = createServer((request, response) => void handler(request as never, response)).listen(
    port,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port: taken } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${taken}/mcp`);
  return { ...common, transport: { kind: 'http', url, headers: {} }, ...change, port: taken, stop } as const;
}

/** The tools of these servers, closed with the test. */
export function externalTools(servers: readonly ExternalServer[], times: Partial<ConnectionTimings> = {}) {
  const notes: string[] = [];
  const log = {
    info: (_: object, note: string) => notes.push(note),
    warn: (_: object, note: string) => notes.push(note),
  };
  const external = createExternalTools({ servers, version: '1.0.0', log, times: { firstWaitMs: 60_000, ...times } });
  onTestFinished(() => external.close());
  return { ...external, notes };
}

export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name} among ${tools.map((each) => each.name).join(', ')}.`);
  return tool;
}
