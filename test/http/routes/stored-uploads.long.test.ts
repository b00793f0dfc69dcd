import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultHttpLimits } from '../../../src/http/http-services.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startCitewell } from '../support/start-citewell.ts';

async function start({ file = 3_000_000, fileName = 'rivers.txt' } = {}) {
  const uploads = join(await temporaryFolder(), 'unfinished', 'uploads');
  const limits = { ...defaultHttpLimits, file, field: 20_000 };
  const server = await startCitewell({ uploadFolder: uploads, limits });
  onTestFinished(() => server.close());
  const post = async (bytes: Uint8Array, fields: Record<string, string> = {}) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), fileName);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await fetch(`${server.url}/v3/documents`, { method: 'POST', body: form });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  return { ...server, uploads, post, left: () => readdir(uploads) };
}

it('stores a file on disk while it is received, ingests it completely, and removes it', async () => {
  const { url, post, left } = await start();
  const bytes = Buffer.from(randomBytes(40_000).toString('hex'));
  const { status, body } = await post(bytes);
  expect(status, JSON.stringify(body)).toBe(202);
  const kept = await fetch(`${url}/v3/documents/${body.results.document_id}/download`);
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
  expect(hash(new Uint8Array(await kept.arrayBuffer()))).toBe(hash(bytes));
  expect((await post(bytes)).status).toBe(409);
  expect(await left()).toEqual([]);
});

it('leaves nothing of an upload that is too large, refused or interrupted', async () => {
  const { url, uploads, post, left } = await start();
  const large = await post(Buffer.alloc(3_000_001, 'a'));
  expect([large.status, large.body.message]).toEqual([413, expect.stringContaining('larger than 3000000 bytes')]);
  expect((await post(Buffer.from('Text.'), { id: 'no id' })).status).toBe(422);
  expect((await post(Buffer.from('Text.'), { raw_text: 'x'.repeat(30_000) })).status).toBe(413);
  await vi.waitFor(async () => expect(await left()).toEqual([]), PATIENT);

  const sent = request(`${url}/v3/documents`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 2_000_000 },
  });
  sent.on('error', () => undefined);
  sent.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  sent.write(Buffer.alloc(500_000, 'a'));
  // There is something to remove.
  await vi.waitFor(async () => expect(await readdir(uploads)).toHaveLength(1), PATIENT);
  sent.destroy();
  await vi.waitFor(async () => expect(await left()).toEqual([]), PATIENT);
});

it('stops keeping a file that is larger than its format may be, told by its beginning', async () => {
  const { post, left } = await start({ file: 200_000_000, fileName: 'rivers.css' });
  const { status, body } = await post(Buffer.alloc(12_000_000, 'a { color: red; }\n'));
  expect(status).toBe(413);
  expect(body.message).toMatch(/^rivers\.css is larger than 10\.0 MB, the limit of files of type css\. Split it/);
  await vi.waitFor(async () => expect(await left()).toEqual([]), PATIENT);
});

it('refuses an upload by its announced length, before it arrives', async () => {
  const { url } = await start();
  const sent = request(`${url}/v3/documents`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 3_100_000 },
  });
  sent.on('error', () => undefined);
  onTestFinished(() => void sent.destroy());
  sent.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(413);
  expect(await json(response)).toMatchObject({ message: expect.stringMatching(/larger than 3000000 bytes/) });
});
