import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../../src/adapters/open-web.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { createSecretBox } from '../../../src/store/secrets/secret-box.ts';
import { readOpenHost } from '../../../src/web/open-hosts.ts';
import { keysOf, startBucket as openBucket } from '../../support/bucket-server.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { serve } from '../../web/support.ts';
import { startCitewell } from '../support/start-citewell.ts';

async function startBucket(objects: Map<string, string>) {
  const bucket = await openBucket(objects);
  onTestFinished(bucket.close);
  return bucket;
}

async function start(port: number, options: Parameters<typeof startCitewell>[0] = {}) {
  const open = readOpenHost(`127.0.0.1:${port}`);
  const web = openWeb(
    { openHosts: open === undefined ? [] : [open], obeysRobots: true, engines: [] },
    { analyse, analyseQuery },
  );
  onTestFinished(() => web.close());
  const secrets = createSecretBox(async () => 'k'.repeat(32));
  const server = await startCitewell({ web, secrets, resumes: true, ...options });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await server.close();
    isClosed = true;
  };
  onTestFinished(close);
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  const over = async (id: string) => {
    const read = async () => (await call('GET', `/sources/${id}`)).body.results;
    await vi.waitFor(async () => expect((await read()).state).not.toBe('syncing'), PATIENT);
    return read();
  };
  const documents = async (): Promise<string[]> =>
    (await call('GET', '/documents')).body.results.map(({ id }: { id: string }) => id);
  return { call, over, documents, close };
}

const papers = () => new Map([['docs/rivers.md', '# Rivers\n\nThe Rhine rises in the Alps.']]);
const source = (endpoint: string) => ({
  kind: 's3',
  address: 's3://papers/docs/',
  settings: { endpoint },
  credentials: keysOf('RIGHT'),
});

describe('PATCH /v3/sources/{id}', () => {
  it('changes schedule and deletions persistently, and keeps the stored state of the items', async () => {
    const objects = papers();
    const bucket = await startBucket(objects);
    const folder = await temporaryFolder();
    const first = await start(bucket.port, { folder });
    const added = await first.call('POST', '/sources', source(bucket.endpoint));
    const { id } = added.body.results;
    const before = await first.over(id);
    expect(Date.parse(before.next_sync_at)).toBe(Date.parse(before.last_sync.ended_at) + 60 * 60_000);
    const change = { every_minutes: null, keep_deleted: true, collections: ['Papers'] };
    const { status, body } = await first.call('PATCH', `/sources/${id}`, change);
    expect([status, body.results]).toMatchObject([
      200,
      { every_minutes: null, next_sync_at: null, keep_deleted: true, state: 'idle', has_credentials: true },
    ]);
    expect(body.results.collection_ids).toHaveLength(1);
    expect(body.results.last_sync).toEqual(before.last_sync);
    await first.close();

    const second = await start(bucket.port, { folder });
    const again = await second.call('GET', `/sources/${id}`);
    expect(again.body.results).toMatchObject({ every_minutes: null, keep_deleted: true, state: 'idle' });
    const [document] = await second.documents();
    objects.set('docs/mills.md', '# Mills\n\nMills stood at the weir.');
    await second.call('POST', `/sources/${id}/sync`);
    expect((await second.over(id)).last_sync.counts).toEqual({ unchanged: 1, ingested: 1 });
    objects.delete('docs/rivers.md');
    await second.call('POST', `/sources/${id}/sync`);
    await second.over(id);
    expect(await second.documents()).toContain(document);
  });

  it('tests new credentials before it stores them, and synchronises with them immediately', async () => {
    const bucket = await startBucket(papers());
    const { call, over, documents } = await start(bucket.port);
    const { id } = (await call('POST', '/sources', source(bucket.endpoint))).body.results;
    await over(id);
    const ids = await documents();

    const wrong = await call('PATCH', `/sources/${id}`, { credentials: keysOf('WRONG'), every_minutes: 5 });
    // Not 401, which would say that the caller is to sign in.
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      expect.stringMatching(/^Nothing was changed.*Access refused/),
    ]);
    expect(JSON.stringify(wrong.body)).not.toContain('"secret"');
    expect((await call('GET', `/sources/${id}`)).body.results).toMatchObject({ every_minutes: 60, state: 'idle' });

    // The key is replaced at the service; what is stored works no more.
    bucket.state.key = 'NEW';
    await call('POST', `/sources/${id}/sync`);
    expect(await over(id)).toMatchObject({ state: 'stopped', problem: expect.stringContaining('Access refused') });
    const changed = await call('PATCH', `/sources/${id}`, { credentials: keysOf('NEW') });
    expect([changed.status, changed.body.results.state]).toEqual([200, 'syncing']);
    expect(await over(id)).toMatchObject({ state: 'idle', problem: null, last_sync: { counts: { unchanged: 1 } } });
    expect(await documents()).toEqual(ids);

    const untried = await call('PATCH', `/sources/${id}`, { credentials: keysOf('LATER'), check: false });
    expect(untried.status).toBe(200);
    expect((await over(id)).state).toBe('stopped');
    expect((await call('PATCH', `/sources/${id}`, { credentials: {}, check: false })).body.results).toMatchObject({
      has_credentials: false,
    });
    expect(await documents()).toEqual(ids);
  });

  it('synchronises once a month if that is the schedule', async () => {
    const bucket = await startBucket(papers());
    const { call, over } = await start(bucket.port);
    const monthly = { ...source(bucket.endpoint), every_minutes: 31 * 24 * 60 };
    const { id } = (await call('POST', '/sources', monthly)).body.results;
    const first = await over(id);
    await sleep(500);
    expect((await over(id)).last_sync.started_at).toBe(first.last_sync.started_at);
  });

  it('makes all changes that are asked for at once', async () => {
    const bucket = await startBucket(papers());
    const { call, over } = await start(bucket.port);
    const { id } = (await call('POST', '/sources', source(bucket.endpoint))).body.results;
    const changes = [{ every_minutes: 90 }, { keep_deleted: true }, { settings: { region: 'eu-north-1' } }];
    const answers = await Promise.all(changes.map((change) => call('PATCH', `/sources/${id}`, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await over(id)).toMatchObject({
      every_minutes: 90,
      keep_deleted: true,
      settings: { region: 'eu-north-1' },
      state: 'idle',
      last_sync: { counts: {}, failures: [] },
    });
  });

  it('refuses fields that identify the source, and fields its kind does not have, by name', async () => {
    const bucket = await startBucket(papers());
    const { call, over } = await start(bucket.port);
    const { id } = (await call('POST', '/sources', source(bucket.endpoint))).body.results;
    const before = await over(id);
    const refused = async (change: object) => {
      const { status, body } = await call('PATCH', `/sources/${id}`, change);
      return `${status} ${body.message}`;
    };
    expect(await refused({ address: 's3://other/' })).toMatch(/^422 .*address: what is followed cannot be changed/);
    expect(await refused({ kind: 'imap', url: 'https://x.org' })).toMatch(/^422 .*kind, url: what/);
    expect(await refused({ settings: { prefix: 'other/' } })).toMatch(/^400 prefix says what is followed/);
    expect(await refused({ settings: { prefix: null, endpoint: 'http://127.0.0.1:1', region: 'eu' } })).toMatch(
      /^400 prefix, endpoint say what is followed/,
    );
    expect(await refused({ settings: { bucket: null } })).toMatch(/^422/);
    expect(await refused({ settings: { nonsense: 'x' } })).toMatch(/^422/);
    expect(await refused({ crawl_depth: 2 })).toMatch(
      /^422 .*crawl_depth: a source of kind s3 does not allow this change/,
    );
    expect(await refused({ every_minutes: 1 })).toMatch(/^422/);
    expect((await call('GET', `/sources/${id}`)).body.results).toEqual(before);

    const region = await call('PATCH', `/sources/${id}`, { settings: { region: 'eu-central-1' } });
    expect(region.body.results.settings).toMatchObject({ bucket: 'papers', region: 'eu-central-1' });
    await over(id);
    const without = await call('PATCH', `/sources/${id}`, { settings: { region: null } });
    expect(without.body.results.settings).toEqual(before.settings);
  });

  it('changes the crawl limits of a site, and crawls it again', async () => {
    const pages = { '/docs/': '<a href="mills">mills</a>', '/docs/mills': 'Mills stood at the weir.' };
    const { url, port } = await serve((request, response) => {
      const body = pages[request.url as keyof typeof pages];
      if (body === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><title>${request.url}</title><main><h1>A page</h1><p>Of rivers. ${body}</p></main>`);
    });
    const { call, over, documents } = await start(port);
    const added = await call('POST', '/sources', { kind: 'site', url: `${url}/docs/`, crawl_depth: 0 });
    const { id } = added.body.results;
    await over(id);
    expect(await documents()).toHaveLength(1);
    expect((await call('PATCH', `/sources/${id}`, { keep_deleted: true })).status).toBe(422);
    expect((await call('PATCH', `/sources/${id}`, { sitemap: true, crawl_depth: 1 })).status).toBe(400);
    const changed = await call('PATCH', `/sources/${id}`, { crawl_depth: 1, max_pages: 20 });
    expect(changed.body.results).toMatchObject({ crawl_depth: 1, max_pages: 20, state: 'syncing' });
    await over(id);
    expect(await documents()).toHaveLength(2);
  });

  it('reports a source as missing that was removed while the change was tested', async () => {
    const bucket = await startBucket(papers());
    const { call, over } = await start(bucket.port);
    const { id } = (await call('POST', '/sources', source(bucket.endpoint))).body.results;
    await over(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    bucket.state.until = promise;
    const changing = call('PATCH', `/sources/${id}`, { settings: { region: 'eu-central-1' } });
    expect((await call('DELETE', `/sources/${id}`)).status).toBe(200);
    resolve();
    expect((await changing).status).toBe(404);
  });

  it('requires the right to remove the source', async () => {
    const bucket = await startBucket(papers());
    const { call } = await start(bucket.port, { isRequired: true, hasTestAdmin: true });
    const tokenOf = async (email: string) => {
      await call('POST', '/users', { email, password: 'a long pass phrase' });
      const form = { username: email, password: 'a long pass phrase' };
      return (await call('POST', '/users/login', form)).body.results.access_token.token as string;
    };
    const ada = await tokenOf('ada@example.org');
    const ben = await tokenOf('ben@example.org');
    const { id } = (await call('POST', '/sources', source(bucket.endpoint), ada)).body.results;
    expect((await call('PATCH', `/sources/${id}`, { every_minutes: 5 })).status).toBe(401);
    expect((await call('PATCH', `/sources/${id}`, { every_minutes: 5 }, ben)).status).toBe(404);
    expect((await call('PATCH', `/sources/${id}`, { every_minutes: 5 }, ada)).body.results.every_minutes).toBe(5);
    const form = { username: 'admin@example.com', password: 'change_me_immediately' };
    const admin = (await call('POST', '/users/login', form)).body.results.access_token.token as string;
    expect((await call('PATCH', `/sources/${id}`, { every_minutes: 7 }, admin)).body.results.every_minutes).toBe(7);
  });
});

it('lists the items of a source that fail, and retries them at the next synchronisation', async () => {
  const objects = papers().set('docs/broken.pdf', 'This is no PDF.');
  const bucket = await startBucket(objects);
  const { call, over } = await start(bucket.port);
  const { id } = (await call('POST', '/sources', source(bucket.endpoint))).body.results;
  const failed = { name: 'docs/broken.pdf', reason: expect.stringContaining('PDF'), tries: 1 };
  const added = await over(id);
  expect(added).toMatchObject({ state: 'idle', failed_items: { count: 1, items: [failed] } });
  expect(added.last_sync.counts).toEqual({ ingested: 1, failed: 1 });
  await call('POST', `/sources/${id}/sync`);
  expect((await over(id)).failed_items).toMatchObject({ count: 1, items: [{ ...failed, tries: 2 }] });
  expect((await call('GET', '/sources')).body.results[0].failed_items.items).toHaveLength(1);
  objects.delete('docs/broken.pdf');
  await call('POST', `/sources/${id}/sync`);
  expect((await over(id)).failed_items).toEqual({ count: 0, items: [] });
});
