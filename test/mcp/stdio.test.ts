import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toolsets } from '../../src/compose/toolsets.ts';
import { listen } from '../../src/http/serve.ts';
import type { Backend } from '../../src/mcp/backend.ts';
import { MAX_MESSAGE_BYTES } from '../../src/mcp/peer/attachment.ts';
import { peerRoutes } from '../../src/mcp/peer/peer-routes.ts';
import { mcpServers } from '../../src/mcp/server.ts';
import { createSharedBackend } from '../../src/mcp/shared-backend.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import { PROMPTLY_MS } from '../support/patience.ts';
import { eraOptions, textOf } from './support/citewell-mcp.ts';

/** A client transport over two pipes. */
function overPipes(input: PassThrough, output: PassThrough): Transport {
  const transport: Transport = {
    async start() {
      createInterface({ input: output }).on('line', (line) => transport.onmessage?.(JSON.parse(line)));
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

/**
 * A process that holds a data folder and whose calls block until aborted, a second process that forwards to it, and its
 * client.
 */
async function start(era: 'legacy' | 'modern', call: Backend['call']): Promise<Client> {
  const stopping = new AbortController();
  const owned = { call, onChange: () => () => {} } as Partial<Backend> as Backend;
  const app = express();
  app.use('/peer', peerRoutes({ backend: owned, token: () => 'secret', stopping: stopping.signal }));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const backend = createSharedBackend({
    find: async () => ({ url: server.url, token: 'secret' }),
    open: () => Promise.reject(new Error('There is a process that has it.')),
  });
  const offer = { tools: toolsets['retrieval'] ?? [], absent: [] };
  const createServer = mcpServers({ backend, offer, folders: [], version: '0.0.0' });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = serveOverStdio({ createServer, backend, input, output, onError: () => {} });
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions(era));
  await client.connect(overPipes(input, output));
  onTestFinished(async () => {
    await client.close();
    await connection.ended;
    await connection.close();
    await backend.close();
    stopping.abort();
    await server.close();
  });
  return client;
}

const SEARCH = { name: 'search_file_knowledge', arguments: { query: 'anything' } };

describe.each(['legacy', 'modern'] as const)(
  'a call over stdio to a process that forwards it to another (%s)',
  (era) => {
    it('ends there promptly when it is cancelled', async () => {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<number>();
      const client = await start(
        era,
        (_request, { signal }) =>
          new Promise((_outcome, reject) => {
            begun.resolve();
            signal.addEventListener('abort', () => {
              ended.resolve(performance.now());
              reject(signal.reason);
            });
          }),
      );
      const calling = new AbortController();
      const call = client.callTool(SEARCH, { signal: calling.signal });
      call.catch(() => {});
      await begun.promise;
      const calledOffAt = performance.now();
      calling.abort();
      expect((await ended.promise) - calledOffAt).toBeLessThan(PROMPTLY_MS);
      await expect(call).rejects.toThrow();
    });

    it('forwards progress', async () => {
      const client = await start(era, async (_request, { onProgress }) => {
        for (const done of [1, 2, 3]) onProgress?.({ message: 'reading', done, total: 3 });
        return {
          isError: false,
          output: { text: 'Done.', structured: { query: 'x', mode: 'hybrid', results: [], notes: [] } },
        };
      });
      const seen: unknown[] = [];
      const result = await client.callTool(SEARCH, { onprogress: (step) => seen.push(step) });
      expect(textOf(result)).toBe('Done.');
      expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: 'reading' })));
    });
  },
);

function serveRetrieval(call: Backend['call'], answersAfterEnd = true) {
  const offer = { tools: toolsets['retrieval'] ?? [], absent: [] };
  const backend = { call, onChange: () => () => {} } as Partial<Backend> as Backend;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: string[] = [];
  const connection = serveOverStdio({
    createServer: mcpServers({ backend, offer, folders: [], version: '0.0.0' }),
    backend,
    input,
    output,
    answersAfterEnd,
    onError: ({ message }) => errors.push(message),
  });
  onTestFinished(() => connection.close());
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const write = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  write({ id: 1, method: 'initialize', params: { ...LEGACY, capabilities: {} } });
  write({ method: 'notifications/initialized' });
  return { connection, input, output, write, next, errors };
}

const LEGACY = { protocolVersion: '2025-11-25', clientInfo: { name: 'test', version: '1.0.0' } };
const FOUND = {
  isError: false,
  output: { text: 'Found.', structured: { query: 'x', mode: 'h', results: [], notes: [] } },
};

it.each([
  ['first', (text: string) => ({ id: 'a"b', method: 'tools/call', params: { text, id: 9 } })],
  ['last', (text: string) => ({ method: 'tools/call', params: { text, id: 9 }, id: 'a"b' })],
])('answers a message over the size limit whose identifier is %s, and goes on', async (_place, message) => {
  const { write, next, errors } = serveRetrieval(async () => FOUND as never);
  expect(await next()).toMatchObject({ id: 1, result: {} });
  write(message('x'.repeat(MAX_MESSAGE_BYTES)));
  expect(await next()).toMatchObject({ id: 'a"b', error: { code: -32_600, message: expect.stringMatching(/bytes/) } });
  write({ params: { text: 'x'.repeat(MAX_MESSAGE_BYTES), id: 9 } });
  write({ id: 2, method: 'tools/list' });
  expect(await next()).toMatchObject({ id: 2, result: {} });
  expect(errors).toEqual([expect.stringMatching(/bytes/), expect.stringMatching(/bytes/)]);
});

it('reports a message that is not JSON-RPC in one sentence, and goes on', async () => {
  const { input, write, next, errors } = serveRetrieval(async () => FOUND as never);
  expect(await next()).toMatchObject({ id: 1, result: {} });
  input.write('no JSON\n{"jsonrpc":"2.0","id":2}\n[]\n');
  write({ id: 3, method: 'tools/list' });
  expect(await next()).toMatchObject({ id: 3, result: {} });
  const ignored = 'A message of the client was ignored, because it is not valid JSON-RPC.';
  expect(errors).toEqual([ignored, ignored]);
});

it('accepts a thousand subscriptions of one connection, and says what to do about more', async () => {
  const { write, next } = serveRetrieval(async () => FOUND as never);
  expect(await next()).toMatchObject({ id: 1, result: {} });
  const subscribe = async (number: number) => {
    write({ id: `s${number}`, method: 'resources/subscribe', params: { uri: `kb://made-up/${number}` } });
    return next();
  };
  for (let number = 1; number <= 1_000; number++) expect(await subscribe(number)).toMatchObject({ result: {} });
  const refused = { code: -32_602, message: expect.stringContaining('Unsubscribe from others first.') };
  expect(await subscribe(1_001)).toMatchObject({ error: refused });
  expect(await subscribe(1)).toMatchObject({ result: {} });
});

it('answers what was asked before the end of the input', async () => {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<never>();
  const { connection, input, write, next } = serveRetrieval(() => {
    begun.resolve();
    return answer.promise;
  });
  write({ id: 2, method: 'tools/call', params: SEARCH });
  write({ id: 3, method: 'tools/list' });
  input.end();
  await begun.promise;
  answer.resolve(FOUND as never);
  const answers = [await next(), await next(), await next()];
  expect(answers.map(({ id, result }) => [id, typeof result]).toSorted()).toEqual(
    [1, 2, 3].map((id) => [id, 'object']),
  );
  await connection.ended;
});

it('ends at once when the input is lost, and where nobody waits for answers', async () => {
  const lost = serveRetrieval(() => new Promise(() => {}));
  await lost.next();
  lost.write({ id: 2, method: 'tools/call', params: SEARCH });
  lost.input.destroy();
  await lost.connection.ended;
  const left = serveRetrieval(() => new Promise(() => {}), false);
  await left.next();
  left.write({ id: 2, method: 'tools/call', params: SEARCH });
  left.input.end();
  await left.connection.ended;
});
