import { Worker } from 'node:worker_threads';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createLibreChatAuthenticator, libreChatAgent } from '../../../src/access/librechat-tokens.ts';
import { asDefaultAdmin } from '../../../src/http/authenticate.ts';
import { libreChatRoutes } from '../../../src/http/routes/librechat.ts';
import type { SearchSettings } from '../../../src/retrieval/search-settings.ts';
import { makeZip } from '../../ingest/make-docx.ts';
import { sheetRow, workbookParts } from '../../ingest/make-office.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

const SECRET = 'the JWT_SECRET of LibreChat';
const FERRY = 'The ferry Aurora carries 120 passengers.\n\nIt never sails at night.';

let http: RunningHttp;
const tokens: Record<string, string> = {};
/** The next look for a file finds none, as that of a request that came at the same time. */
let overlooksFile = false;
/** The settings of the last search. */
let searched: SearchSettings | undefined;

const tokenFor = (id: string, secret = SECRET, expires = '5m') =>
  new SignJWT({ id })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));

beforeAll(async () => {
  http = await startCitewell({
    isRequired: true,
    mount: (services) => {
      const get = async (id: string) => {
        const isOverlooked = overlooksFile;
        overlooksFile = false;
        return isOverlooked ? undefined : services.corpus.get(id);
      };
      const search: typeof services.retriever.search = (text, settings, signal) => {
        searched = settings;
        return services.retriever.search(text, settings, signal);
      };
      const watched = { ...services, corpus: { ...services.corpus, get }, retriever: { search } };
      const handler = libreChatRoutes(watched, createLibreChatAuthenticator(SECRET));
      return { path: '/librechat', handler, isGuarded: true };
    },
  });
  for (const user of ['ada', 'ben']) tokens[user] = await tokenFor(user);
});
afterAll(() => http.close());

/** Sends a request such as `POST /embed`. */
const call = async (user: string, request: string, body?: string | FormData, url = http.url) => {
  const [method = '', path = ''] = request.split(' ');
  const headers = { authorization: `Bearer ${tokens[user] ?? user}` };
  const response = await fetch(`${url}/librechat${path}`, { method, headers, ...(body !== undefined && { body }) });
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
  return { status: response.status, body: (await response.json()) as any };
};
const embed = (
  user: string,
  id: string,
  text: string | Uint8Array<ArrayBuffer>,
  { entity, name = 'ferry.md' }: { entity?: string; name?: string } = {},
) => {
  const form = new FormData();
  form.append('file_id', id);
  form.append('file', new Blob([text]), name);
  if (entity !== undefined) form.append('entity_id', entity);
  return call(user, 'POST /embed', form);
};
const query = (user: string, id: string, entity?: string) =>
  call(user, 'POST /query', JSON.stringify({ query: 'How many passengers?', file_id: id, k: 5, entity_id: entity }));

it('embeds a file, finds its passages as [document, distance], returns it whole, and deletes it', async () => {
  expect(await call('', 'GET /health')).toEqual({ status: 200, body: { status: 'UP' } });
  expect(await embed('ada', 'file-1', FERRY)).toEqual({
    status: 200,
    body: {
      status: true,
      message: 'File processed successfully.',
      file_id: 'file-1',
      filename: 'ferry.md',
      known_type: true,
    },
  });
  const { body } = await query('ada', 'file-1');
  expect(body[0][0]).toMatchObject({
    page_content: expect.stringContaining('120 passengers'),
    metadata: { file_id: 'file-1', source: expect.stringContaining('ferry'), chunk_index: 0 },
  });
  expect(body[0][1]).toBeGreaterThanOrEqual(0);
  expect(body[0][1]).toBeLessThan(1);
  expect((await call('ada', 'GET /documents/file-1/context')).body).toContain('never sails at night');
  expect(await call('ada', 'DELETE /documents', JSON.stringify(['file-1']))).toMatchObject({ status: 200 });
  expect(await query('ada', 'file-1')).toEqual({ status: 200, body: [] });
  expect(await call('ada', 'DELETE /documents', JSON.stringify(['file-1']))).toMatchObject({ status: 404 });
});

it('keeps the files of each user apart, and shares those of an agent', async () => {
  await embed('ada', 'file-2', FERRY);
  expect((await query('ada', 'file-2')).body).not.toEqual([]);
  expect((await query('ben', 'file-2')).body).toEqual([]);
  expect(await call('ben', 'GET /documents/file-2/context')).toMatchObject({ status: 404 });
  expect(await call('ben', 'DELETE /documents', JSON.stringify(['file-2']))).toMatchObject({ status: 404 });
  expect(await embed('ben', 'file-2', 'Something else.')).toMatchObject({ status: 409 });

  await embed('ada', 'file-3', FERRY, { entity: 'agent_7' });
  expect((await query('ben', 'file-3')).body).toEqual([]);
  expect((await query('ben', 'file-3', 'agent_7')).body[0][0].page_content).toContain('Aurora');
  expect(await call('ada', 'DELETE /documents', JSON.stringify(['file-3']))).toMatchObject({ status: 200 });
});

it('tells the search which passages the caller may read beyond the file: their own and those of the agent', async () => {
  const readable = { kind: 'in', field: 'owner_id', values: [expect.any(String), expect.any(String)] };
  await query('ada', 'file-3', 'agent_7');
  expect(searched).toMatchObject({ filter: { kind: 'and', filters: [expect.anything(), readable] }, readable });
  const ofAda = searched?.readable;
  await query('ben', 'file-3', 'agent_7');
  expect(searched?.readable).not.toEqual(ofAda);
  expect(searched?.readable).toMatchObject({ values: [expect.anything(), libreChatAgent('agent_7')] });
});

it('embeds a file with one transaction that waits for the disk, since the request waits for its end', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => post.mockRestore());
  expect(await embed('ada', 'file-10', FERRY)).toMatchObject({ status: 200 });
  const transactions = post.mock.calls.flatMap(([message]) => {
    const { task } = message as { readonly task?: { readonly name?: string; readonly waitsForDisk?: boolean } };
    return task?.waitsForDisk === undefined ? [] : [`${task.name} ${task.waitsForDisk ? 'waits' : 'does not wait'}`];
  });
  expect(transactions).toContain('begin does not wait');
  expect(transactions.filter((each) => each.endsWith(' waits'))).toEqual(['publishWithChunks waits']);
});

it('embeds a file again under the same identifier', async () => {
  await embed('ada', 'file-4', 'The old text about passengers.');
  await embed('ada', 'file-4', 'The new text about passengers.');
  expect(
    (await query('ada', 'file-4')).body.map(([{ page_content }]: [{ page_content: string }]) => page_content),
  ).toEqual(['The new text about passengers.']);
});

it('reads a file that is uploaded as text, and stores nothing', async () => {
  const read = (name: string, bytes: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append('file_id', 'file-9');
    form.append('file', new Blob([bytes]), name);
    return call('ada', 'POST /text', form);
  };
  const rows = [sheetRow(1, ['Ferry', 'Passengers']), sheetRow(2, ['Aurora', 120])].join('');
  expect(await read('ferries.xlsx', Uint8Array.from(makeZip(workbookParts([{ name: 'Ferries', rows }]))))).toEqual({
    status: 200,
    body: {
      text: expect.stringContaining('| Aurora | 120 |'),
      file_id: 'file-9',
      filename: 'ferries.xlsx',
      known_type: true,
    },
  });
  expect(await call('ada', 'GET /documents/file-9/context')).toMatchObject({ status: 404 });
  expect(await read('program.exe', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0]))).toMatchObject({
    status: 415,
  });
  expect(await read('broken.pdf', '%PDF-1.7 and nothing else')).toMatchObject({ status: 400 });
  expect(await call('ada', 'POST /text', new FormData())).toMatchObject({ status: 422 });
  expect(await call('nobody', 'POST /text', new FormData())).toMatchObject({ status: 401 });
});

it('keeps a file that another request embedded at the same time', async () => {
  await embed('ada', 'file-6', FERRY);
  overlooksFile = true;
  expect(await embed('ada', 'file-6', 'Something else.')).toMatchObject({ status: 409 });
  expect((await call('ada', 'GET /documents/file-6/context')).body).toContain('Aurora');
});

it('names no setting to the user of a file that needs one', async () => {
  const recording = new Uint8Array(2_000).fill(0x55);
  recording.set(Buffer.from('ID3\u0003\0\0\0\0\0\0'));
  const { body } = await embed('ada', 'file-7', recording, { name: 'interview.mp3' });
  expect(body).toMatchObject({ status: false, message: expect.stringMatching(/administrator/) });
  expect(body.message).not.toContain('CITEWELL_');
});

it('reports an unknown type as such, and stores nothing', async () => {
  const answer = await embed('ada', 'file-5', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0]), {
    name: 'program.exe',
  });
  expect(answer).toMatchObject({ status: 200, body: { status: false, known_type: false, file_id: 'file-5' } });
  expect(await call('ada', 'GET /documents/file-5/context')).toMatchObject({ status: 404 });
});

it('refuses tokens that LibreChat did not sign, and expired ones', async () => {
  for (const token of [await tokenFor('ada', 'another secret of someone'), 'nonsense']) {
    const { status, body } = await call(token, 'GET /documents/file-2/context');
    expect(status).toBe(401);
    expect(body.message).toContain('CITEWELL_LIBRECHAT_SECRET');
  }
  expect(await call(await tokenFor('ada', SECRET, '-1h'), 'GET /documents/file-2/context')).toMatchObject({
    status: 401,
    body: { code: 'token_expired' },
  });
  await expect(createLibreChatAuthenticator(undefined)({ bearer: tokens['ada'], apiKey: undefined })).rejects.toThrow(
    'set CITEWELL_LIBRECHAT_SECRET',
  );
});

it('belongs to the only user where no authentication is required', async () => {
  const open = await startCitewell({
    mount: (services) => ({ path: '/librechat', handler: libreChatRoutes(services, asDefaultAdmin), isGuarded: true }),
  });
  try {
    const form = new FormData();
    form.append('file_id', 'file-1');
    form.append('entity_id', 'agent_7');
    form.append('file', new Blob([FERRY]), 'ferry.md');
    await call('whoever', 'POST /embed', form, open.url);
    const found = await open.post('/v3/retrieval/search', { query: 'passengers' });
    expect(JSON.stringify(await found.json())).toContain('Aurora');
    const asked = JSON.stringify({ query: 'passengers', file_id: 'file-1' });
    expect((await call('whoever', 'POST /query', asked, open.url)).body).toHaveLength(1);
  } finally {
    await open.close();
  }
});
