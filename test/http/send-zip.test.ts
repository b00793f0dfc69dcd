import { request } from 'node:http';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { sendZip } from '../../src/http/send-zip.ts';
import { listen } from '../../src/http/serve.ts';

it('reads no further file for a reader who left while one was read', async () => {
  const left = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  let read = 0;
  async function* documents() {
    try {
      for (;;)
        yield { id: '1', fileName: 'large.pdf', mediaType: 'application/pdf', createdAt: '2026-01-01T00:00:00Z' };
    } finally {
      ended.resolve(read);
    }
  }
  const app = express().get('/', async (_request, response) => {
    response.once('close', left.resolve);
    await sendZip(response, {
      documents: documents(),
      async bytesOf() {
        read++;
        client.destroy();
        await left.promise;
        return new Uint8Array(10_000_000);
      },
    });
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const client = request(server.url).on('error', () => {});
  client.end();
  expect(await ended.promise).toBe(1);
});
