import { readFile, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../src/adapters/open-web.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { createSecretBox } from '../../src/store/secrets/secret-box.ts';
import { readOpenHost } from '../../src/web/open-hosts.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface S3Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Server;

const MODIFIED = new Date('2026-01-01T00:00:00.000Z');
const KEYS = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };

/** A bucket of a server that knows one access key; it does not check signatures. */
async function startS3() {
  const directory = await temporaryFolder();
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'papers' }],
  });
  const { port } = await server.run();
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await server.close();
    isClosed = true;
  };
  onTestFinished(close);
  const client = new AwsClient({
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    service: 's3',
    region: 'us-east-1',
  });
  const send = async (method: string, key: string, body?: string) => {
    const url = `http://127.0.0.1:${port}/papers/${key.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await client.fetch(url, { method, ...(body !== undefined && { body }) });
    expect(answer.ok, await answer.text()).toBe(true);
  };
  return {
    port,
    close,
    async put(key: string, text: string) {
      await send('PUT', key, text);
      // Objects with the same content and the same time are duplicates.
      await utimes(join(directory, 'papers', `${key}._S3rver_object`), MODIFIED, MODIFIED);
    },
    remove: (key: string) => send('DELETE', key),
  };
}

async function start(
  port: number,
  { key = 'k'.repeat(32), folder }: { readonly key?: string; readonly folder?: string } = {},
) {
  const open = readOpenHost(`127.0.0.1:${port}`);
  const web = openWeb(
    { openHosts: open === undefined ? [] : [open], obeysRobots: true, engines: [] },
    { analyse, analyseQuery },
  );
  onTestFinished(() => web.close());
  const server = await startCitewell({
    web,
    secrets: createSecretBox(async () => key),
    ...(folder && { folder }),
    resumes: true,
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await server.close();
    isClosed = true;
  };
  onTestFinished(close);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  const titles = async (): Promise<string[]> =>
    (await call('GET', '/documents')).body.results.map(({ title }: { title: string }) => title).toSorted();
  const over = async (id: string) => {
    await vi.waitFor(
      async () => expect((await call('GET', `/sources/${id}`)).body.results.state).not.toBe('syncing'),
      PATIENT,
    );
    return (await call('GET', `/sources/${id}`)).body.results;
  };
  const sync = async (id: string) => {
    expect((await call('POST', `/sources/${id}/sync`)).status).toBe(202);
    return over(id);
  };
  return { call, titles, over, sync, close };
}

const source = (port: number, more: object = {}) => ({
  kind: 's3',
  address: 's3://papers/docs/',
  settings: { endpoint: `http://127.0.0.1:${port}` },
  credentials: KEYS,
  ...more,
});

it('follows a bucket: new, changed and deleted objects, and reads no unchanged one', async () => {
  const s3 = await startS3();
  await s3.put('docs/rivers.md', '# Rivers\n\nThe Rhine rises in the Alps.');
  await s3.put('docs/a b+ü/mills.md', '# Mills\n\nMills stood at the weir.');
  await s3.put('docs/picture.bin', 'no document');
  await s3.put('other/secret.md', '# Elsewhere');
  const { call, titles, over, sync } = await start(s3.port);
  const added = await call('POST', '/sources', source(s3.port));
  expect(added.status, JSON.stringify(added.body)).toBe(200);
  const { id } = added.body.results;
  const first = await over(id);
  expect(first).toMatchObject({ state: 'idle', kind: 's3', has_credentials: true, every_minutes: 60, problem: null });
  expect(first.last_sync).toMatchObject({ counts: { ingested: 2, skipped: 1 }, failures: [] });
  expect(JSON.stringify(first)).not.toContain('S3RVER');
  expect(await titles()).toEqual(['mills.md', 'rivers.md']);

  await s3.put('docs/rivers.md', '# Rivers\n\nThe Danube rises in the Black Forest.');
  await s3.remove('docs/a b+ü/mills.md');
  await s3.put('docs/weirs.md', '# Weirs\n\nA weir dams a river.');
  expect((await sync(id)).last_sync.counts).toEqual({ replaced: 1, removed: 1, ingested: 1, unchanged: 1 });
  expect(await titles()).toEqual(['rivers.md', 'weirs.md']);
  expect((await call('POST', '/sources', source(s3.port))).status).toBe(409);

  // Of two objects with the same content one has the document; when that one is moved away, the other has it.
  await s3.put('docs/copy.md', '# Weirs\n\nA weir dams a river.');
  expect((await sync(id)).last_sync.counts).toMatchObject({ duplicate: 1 });
  await s3.remove('docs/weirs.md');
  expect((await sync(id)).last_sync.counts).toMatchObject({ removed: 1, ingested: 1 });
  expect(await titles()).toEqual(['copy.md', 'rivers.md']);
  expect((await sync(id)).last_sync.counts).toEqual({ unchanged: 3 });
  await s3.remove('docs/copy.md');
  await s3.put('docs/weirs.md', '# Weirs\n\nA weir dams a river.');
  await sync(id);
  expect(await titles()).toEqual(['rivers.md', 'weirs.md']);

  // A listing that is suddenly empty is not taken for the deletion of everything.
  for (const name of ['rivers.md', 'weirs.md', 'picture.bin']) await s3.remove(`docs/${name}`);
  const emptied = await sync(id);
  expect(emptied.problem).toContain('The listing is empty');
  expect(await titles()).toEqual(['rivers.md', 'weirs.md']);
});

it('reports refused access or an unavailable service, and keeps the documents', async () => {
  const s3 = await startS3();
  await s3.put('docs/rivers.md', '# Rivers\n\nThe Rhine rises in the Alps.');
  const folder = await temporaryFolder();
  const first = await start(s3.port, { folder });
  const { id } = (await first.call('POST', '/sources', source(s3.port, { every_minutes: null }))).body.results;
  expect((await first.over(id)).last_sync.counts).toEqual({ ingested: 1 });
  const credentials = { ...KEYS, access_key_id: 'NOBODY' };
  const refused = source(s3.port, { address: 's3://papers/', credentials });
  expect(await first.call('POST', '/sources', refused)).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^s3:\/\/papers\/\S* was not added .*Access refused.*--no-check/) },
  });
  const other = (await first.call('POST', '/sources', { ...refused, check: false })).body.results;
  expect(await first.over(other.id)).toMatchObject({
    state: 'stopped',
    problem: expect.stringContaining('Access refused'),
  });
  expect(await first.titles()).toEqual(['rivers.md']);
  await first.close();
  // Neither the database nor its log holds the secret as it is.
  const stored = await readFile(join(folder, 'citewell.db'));
  expect(stored.includes('v1.')).toBe(true);
  expect(stored.includes('"secret_access_key"')).toBe(false);

  const second = await start(s3.port, { folder, key: 'x'.repeat(32) });
  expect((await second.sync(id)).problem).toContain('encrypted with another key');
  await second.close();
  await s3.close();
  const third = await start(s3.port, { folder });
  expect((await third.sync(id)).problem).toContain('is not reached');
  expect(await third.titles()).toEqual(['rivers.md']);
});

it('refuses private addresses, unknown settings and credentials in addresses', async () => {
  const { call, over } = await start(9);
  const refused = async (more: object) => {
    const { status, body } = await call('POST', '/sources', source(9, more));
    return `${status} ${JSON.stringify(body)}`;
  };
  expect(await refused({ settings: { endpoint: 'ftp://x' } })).toMatch(/^400 .*endpoint/);
  expect(await refused({ settings: { bucket: 'other' } })).toMatch(/^400 .*bucket/);
  expect(await refused({ settings: { nonsense: 'x' } })).toMatch(/^422/);
  expect(await refused({ address: 's3://key:secret@papers/' })).toMatch(/^400 .*password/);
  expect(await refused({ credentials: { ...KEYS, extra: 'x' } })).toMatch(/^422/);
  for (const endpoint of ['http://127.0.0.1:8', 'http://169.254.169.254', 'http://10.0.0.1']) {
    const reason = /not an address of the public internet|metadata service|CITEWELL_ALLOW_HOSTS/;
    expect(await refused({ settings: { endpoint } })).toMatch(reason);
    const added = await call('POST', '/sources', source(9, { settings: { endpoint }, check: false }));
    expect((await over(added.body.results.id)).problem).toMatch(reason);
  }
});
