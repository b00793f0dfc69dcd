import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { boundedFetch } from '../../../src/mcp/bounded-fetch.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = (url: string) =>
  boundedFetch(1_000, () => {})(url, { method: 'POST', headers: { 'x-api-key': 'secret' }, body: '{"id": 1}' });

it('sends neither headers nor messages to another host that a server redirects to', async () => {
  const received: string[] = [];
  const other = await serve((request, response) => {
    received.push(String(request.headers['x-api-key']));
    response.end('{}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await serve((_, response) => response.writeHead(status, { location: `${other}/x` }).end());
    const outcome = await send(url).then(
      (response) => response.status,
      (error: Error) => error.message,
    );
    expect(outcome).toEqual(status < 307 ? status : 'redirects to another host; set its present address');
  }
  expect(received).toEqual([]);
});

it('follows a redirect on the same host, such as to an address with a slash, and no endless ones', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
    else if (request.url === '/mcp/') request.pipe(response);
    else response.writeHead(308, { location: '/again' }).end();
  });
  expect(await (await send(`${url}/mcp`)).text()).toBe('{"id": 1}');
  expect((await send(`${url}/again`)).status).toBe(308);
});

it.each(['\n\n', '\r\n\r\n'])('limits each event of a stream, and not all of them together (%j)', async (end) => {
  let problems = 0;
  const read = async (...pieces: readonly string[]) => {
    const body = ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { headers }));
    return (await boundedFetch(1_000, () => problems++)('http://127.0.0.1/mcp')).text();
  };
  const event = `data: ${'x'.repeat(500)}${end}`;
  expect(await read(...Array(20).fill(event))).toHaveLength(20 * event.length);
  expect(problems).toBe(0);
  await expect(read(event, `data: ${'x'.repeat(700)}`, 'x'.repeat(700), end)).rejects.toThrow('longer than 1000');
  expect(problems).toBe(1);
});
