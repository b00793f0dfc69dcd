import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { ConnectionTimes } from '../../../src/mcp/outside-connection.ts';
import type { OutsideServer } from '../../../src/mcp/outside-servers.ts';
import { createOutsideTools } from '../../../src/mcp/outside-tools.ts';
import type { Tool } from '../../../src/toolbox/tool.ts';
import { strangeServer } from './strange-tools.ts';

const PROCESS = fileURLToPath(new URL('./strange-process.ts', import.meta.url));
const common = { name: 'strange', tools: '*', deadline: 5_000 } as const;

/** A process of its own, spoken to over pipes. */
export const overStdio = (change: Partial<OutsideServer> = {}): OutsideServer => ({
  ...common,
  transport: { kind: 'stdio', command: process.execPath, args: [PROCESS], env: { LISTED: 'yes' } },
  ...change,
});

/** In this process, spoken to over HTTP. */
export async function overHttp(change: Partial<OutsideServer> = {}, port = 0) {
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

/** The tools of these servers, ended with the test. */
export function outsideTools(servers: readonly OutsideServer[], times: Partial<ConnectionTimes> = {}) {
  const notes: string[] = [];
  const log = {
    info: (_: object, note: string) => notes.push(note),
    warn: (_: object, note: string) => notes.push(note),
  };
  const outside = createOutsideTools({ servers, version: '1.0.0', log, times: { patience: 20_000, ...times } });
  onTestFinished(() => outside.close());
  return { ...outside, notes };
}

export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name} among ${tools.map((each) => each.name).join(', ')}.`);
  return tool;
}
