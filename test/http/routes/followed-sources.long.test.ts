import { mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../../src/adapters/open-web.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { readOpenHost } from '../../../src/web/open-hosts.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { serve } from '../../web/support.ts';
import { startCitewell } from '../support/start-citewell.ts';

const page = (about: string, links = '') =>
  `<!doctype html><title>${about}</title><main><h1>${about}</h1><p>What is said here of ${about} is said in one sentence, and then in one more.</p>${links}`;

/** A site of three pages, one of which is missing. */
async function site() {
  const files: Record<string, string | undefined> = {
    '/docs/': page('rivers', '<a href="mills">mills</a> <a href="gone">gone</a> <a href="/elsewhere">elsewhere</a>'),
    '/docs/mills': page('mills'),
    '/elsewhere': page('elsewhere'),
  };
  const server = await serve((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(file);
  });
  return { ...server, files };
}

async function webTo(port: number) {
  const open = readOpenHost(`127.0.0.1:${port}`);
  const web = openWeb(
    { openHosts: open === undefined ? [] : [open], obeysRobots: true, engines: [] },
    { analyse, analyseQuery },
  );
  onTestFinished(() => web.close());
  return web;
}

async function start(options: Parameters<typeof startCitewell>[0] = {}) {
  const server = await startCitewell(options);
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
  const titles = async (): Promise<string[]> =>
    (await call('GET', '/documents')).body.results.map(({ title }: { title: string }) => title).toSorted();
  return { call, close, titles };
}

describe('POST /v3/documents with an address', () => {
  it('fetches the page, and replaces it when it changed', async () => {
    let text = page('rivers');
    const { url, port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(text);
    });
    const { call } = await start({ web: await webTo(port) });
    const first = await call('POST', '/documents', { url: `${url}/a` });
    expect(first).toMatchObject({ status: 202, body: { results: { message: expect.stringContaining('ingested') } } });
    const id = first.body.results.document_id;
    text = page('mills');
    expect((await call('POST', '/documents', { url: `${url}/a` })).body.results.document_id).toBe(id);
    expect((await call('GET', `/documents/${id}/text`)).body.results.text).toContain('mills');
    expect((await call('GET', '/documents')).body.total_entries).toBe(1);
  });

  it('reports why nothing was fetched', async () => {
    const { url, port } = await site();
    const { call } = await start({ web: await webTo(port) });
    expect(await call('POST', '/documents', { url: `${url}/docs/gone` })).toMatchObject({
      status: 502,
      body: { message: expect.stringContaining('404') },
    });
    // The address of a private network, which nobody opened.
    expect((await call('POST', '/documents', { url: 'http://127.0.0.1:9/' })).status).toBe(403);
    expect((await call('POST', '/documents', { url: 'http://169.254.169.254/latest' })).status).toBe(403);
    expect((await call('POST', '/documents', { url: 'file:///etc/passwd' })).status).toBe(422);
    expect((await call('POST', '/documents', { url: `${url}/docs/`, raw_text: 'and this' })).status).toBe(422);
    expect((await call('GET', '/documents')).body.total_entries).toBe(0);
  });
});

describe('/v3/sources', () => {
  it('refuses members that a kind of source does not have, by name, and repeats no credentials', async () => {
    const { call } = await start();
    const misspelled = await call('POST', '/sources', { kind: 'folder', path: '/papers', keepdeleted: true });
    expect(misspelled).toMatchObject({
      status: 422,
      body: {
        detail: [{ type: 'extra_forbidden', loc: ['body'], msg: expect.stringMatching(/^"keepdeleted" \(did/) }],
      },
    });
    const credentials = { access_key_id: 'key', secret_access_key: 'secret-1' };
    const bucket = { kind: 's3', address: 's3://papers/', every: 5, credentials };
    const ofAnotherKind = await call('POST', '/sources', bucket);
    expect(ofAnotherKind.status).toBe(422);
    expect(ofAnotherKind.body.detail[0].msg).toMatch(
      /^"every" is not known here; known are kind, address, .*every_minutes/,
    );
    const ofNoKind = await call('POST', '/sources', {
      ...bucket,
      every: undefined,
      settings: { regoin: 'eu' },
      credentials: { ...credentials, acess_key_id: 'key' },
    });
    expect(ofNoKind.status).toBe(422);
    expect(ofNoKind.body.detail).toMatchObject([
      { loc: ['body', 'settings'], msg: expect.stringContaining('"regoin" (did you mean "region"?)') },
      { loc: ['body', 'credentials'], msg: expect.stringContaining('did you mean "access_key_id"?') },
    ]);
    const ofUnknownKind = await call('POST', '/sources', { ...bucket, kind: 's3x' });
    expect(ofUnknownKind.body.detail).toMatchObject([{ loc: ['body', 'kind'] }]);
    expect(JSON.stringify([ofAnotherKind.body, ofNoKind.body, ofUnknownKind.body])).not.toContain('secret-1');
    expect((await call('GET', '/sources')).body.total_entries).toBe(0);
  });

  it('crawls a site and reports failed pages', async () => {
    const { url, port } = await site();
    const { call, titles } = await start({ web: await webTo(port) });
    const added = await call('POST', '/sources', { kind: 'site', url: `${url}/docs/`, crawl_depth: 1 });
    expect(added).toMatchObject({ status: 200, body: { results: { state: 'syncing', kind: 'site', max_pages: 500 } } });
    const path = `/sources/${added.body.results.id}`;
    await vi.waitFor(async () => expect((await call('GET', path)).body.results.state).toBe('idle'), PATIENT);
    const { last_sync: sync } = (await call('GET', path)).body.results;
    expect(sync).toMatchObject({ counts: { ingested: 2, failed: 1 }, done: 3, is_limit_reached: false });
    expect(sync.failures).toEqual([
      { name: `${url}/docs/gone`, reason: expect.stringContaining('404'), document_id: null },
    ]);
    expect(await titles()).toHaveLength(2);
    expect((await call('POST', '/sources', { kind: 'site', url: `${url}/docs/` })).status).toBe(409);

    expect((await call('POST', `${path}/sync`)).status).toBe(202);
    await vi.waitFor(
      async () => expect((await call('GET', path)).body.results.last_sync.counts).toMatchObject({ unchanged: 2 }),
      PATIENT,
    );
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
    expect(await titles()).toHaveLength(2);
  });

  it('names pages that vanish from a site, and keeps their documents', async () => {
    const { url, port, files } = await site();
    files['/docs/'] = page('rivers', '<a href="mills">mills</a> <a href="weirs">weirs</a> <a href="locks">locks</a>');
    files['/docs/weirs'] = page('weirs');
    files['/docs/locks'] = page('locks');
    const { call, titles } = await start({ web: await webTo(port) });
    const { id } = (await call('POST', '/sources', { kind: 'site', url: `${url}/docs/` })).body.results;
    const read = async () => (await call('GET', `/sources/${id}`)).body.results;
    await vi.waitFor(async () => expect((await read()).state).toBe('idle'), PATIENT);
    const before = await titles();
    expect(before).toHaveLength(4);

    // One is still linked, one is no longer; one has only lost its link and changes.
    files['/docs/mills'] = undefined;
    files['/docs/weirs'] = undefined;
    files['/docs/locks'] = page('locks and sluices');
    files['/docs/'] = page('rivers', '<a href="mills">mills</a>');
    await call('POST', `/sources/${id}/sync`);
    await vi.waitFor(async () => expect((await read()).last_sync.counts['gone']).toBe(2), PATIENT);
    await vi.waitFor(async () => expect((await read()).state).toBe('idle'), PATIENT);
    const { counts, failures } = (await read()).last_sync;
    expect(counts).toEqual({ replaced: 2, gone: 2 });
    const { results } = (await call('GET', '/documents')).body;
    const idOf = (about: string) => results.find(({ title }: { title: string }) => title === about).id;
    const reason = expect.stringContaining('no longer has this page');
    expect(failures).toHaveLength(2);
    expect(failures).toContainEqual({ name: `${url}/docs/mills`, reason, document_id: idOf('mills') });
    expect(failures).toContainEqual({ name: `${url}/docs/weirs`, reason, document_id: idOf('weirs') });
    expect(await titles()).toEqual(['locks and sluices', 'mills', 'rivers', 'weirs']);
  });

  it('follows a folder, also after a restart', async () => {
    const base = await realpath(await temporaryFolder());
    const folder = await temporaryFolder();
    const papers = join(base, 'papers');
    await mkdir(papers);
    await writeFile(join(papers, 'one.md'), '# One\n\nThe first paper.');
    const options = { folder, allowedFolders: [base], resumes: true };
    const first = await start(options);
    const added = await first.call('POST', '/sources', { kind: 'folder', path: papers });
    expect(added.status).toBe(200);
    const path = `/sources/${added.body.results.id}`;
    await vi.waitFor(async () => expect((await first.call('GET', path)).body.results.state).toBe('following'), PATIENT);
    // A file that was written just now is read after a pause.
    await vi.waitFor(
      async () => expect((await first.call('GET', path)).body.results.last_sync.counts).toEqual({ ingested: 1 }),
      PATIENT,
    );
    await writeFile(join(papers, 'two.md'), '# Two\n\nThe second paper.');
    await vi.waitFor(async () => expect(await first.titles()).toEqual(['one.md', 'two.md']), PATIENT);
    expect((await first.call('POST', '/sources', { kind: 'folder', path: base })).status).toBe(409);
    await first.close();

    await rename(join(papers, 'one.md'), join(papers, 'renamed.md'));
    const second = await start(options);
    await vi.waitFor(async () => expect(await second.titles()).toEqual(['renamed.md', 'two.md']), PATIENT);
    await vi.waitFor(
      async () => expect((await second.call('GET', path)).body.results.state).toBe('following'),
      PATIENT,
    );
    expect((await second.call('DELETE', path)).status).toBe(200);
    await writeFile(join(papers, 'three.md'), '# Three\n\nNobody follows any more.');
    expect((await second.call('GET', '/sources')).body).toEqual({ results: [], total_entries: 0 });
    expect(await second.titles()).toHaveLength(2);
  });

  it('says why a folder cannot be followed, and follows it when it is back', async () => {
    const base = await realpath(await temporaryFolder());
    const papers = join(base, 'papers');
    await mkdir(papers);
    await writeFile(join(papers, 'one.md'), '# One\n\nThe first paper.');
    const { call, titles } = await start({ allowedFolders: [base] });
    const { id } = (await call('POST', '/sources', { kind: 'folder', path: papers })).body.results;
    await vi.waitFor(
      async () => expect((await call('GET', `/sources/${id}`)).body.results.state).toBe('following'),
      PATIENT,
    );
    await vi.waitFor(async () => expect(await titles()).toEqual(['one.md']), PATIENT);
    await rename(papers, join(base, 'away'));
    await call('POST', `/sources/${id}/sync`);
    await vi.waitFor(
      async () => expect((await call('GET', `/sources/${id}`)).body.results.state).toBe('stopped'),
      PATIENT,
    );
    expect((await call('GET', `/sources/${id}`)).body.results.problem).toContain('is not a readable folder');
    expect(await titles()).toEqual(['one.md']);
    await rename(join(base, 'away'), papers);
    await call('POST', `/sources/${id}/sync`);
    await vi.waitFor(
      async () => expect((await call('GET', `/sources/${id}`)).body.results.state).toBe('following'),
      PATIENT,
    );
  });

  it('notices a folder that is moved away or replaced while it is followed', async () => {
    const base = await realpath(await temporaryFolder());
    const papers = join(base, 'papers');
    await mkdir(papers);
    await writeFile(join(papers, 'one.md'), '# One\n\nThe first paper.');
    const { call, titles } = await start({ allowedFolders: [base] });
    const twice = await Promise.all([1, 2].map(() => call('POST', '/sources', { kind: 'folder', path: papers })));
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { id } = twice.find(({ status }) => status === 200)?.body.results ?? {};
    const state = async () => (await call('GET', `/sources/${id}`)).body.results.state;
    // A document that is not ingested yet when its folder is moved is not kept.
    const ingested = async () => (await call('GET', '/documents')).body.results[0]?.ingestion_status;
    await vi.waitFor(async () => expect(await ingested()).toBe('success'), PATIENT);
    await rename(papers, join(base, 'away'));
    await vi.waitFor(async () => expect(await state()).toBe('stopped'), PATIENT);
    expect(await titles()).toEqual(['one.md']);
    await rename(join(base, 'away'), papers);
    await call('POST', `/sources/${id}/sync`);
    await vi.waitFor(async () => expect(await state()).toBe('following'), PATIENT);
    await rename(papers, join(base, 'away'));
    await mkdir(papers);
    await writeFile(join(papers, 'two.md'), '# Two\n\nThe second paper.');
    await vi.waitFor(async () => expect(await titles()).toEqual(['two.md']), PATIENT);
  });

  it('does not read files outside that links lead to', async () => {
    const base = await realpath(await temporaryFolder());
    const outside = await realpath(await temporaryFolder());
    await writeFile(join(outside, 'secret.md'), '# Secret');
    await writeFile(join(base, 'one.md'), '# One\n\nThe first paper.');
    await symlink(join(outside, 'secret.md'), join(base, 'link.md'));
    const { call, titles } = await start({ allowedFolders: [base] });
    const { id } = (await call('POST', '/sources', { kind: 'folder', path: base })).body.results;
    await vi.waitFor(
      async () =>
        expect((await call('GET', `/sources/${id}`)).body.results.last_sync.counts).toEqual({ ingested: 1, failed: 1 }),
      PATIENT,
    );
    expect((await call('GET', `/sources/${id}`)).body.results.last_sync.failures).toMatchObject([
      { name: join(base, 'link.md'), reason: expect.stringContaining('outside') },
    ]);
    expect(await titles()).toEqual(['one.md']);
  });

  it('does not keep a source whose credentials are missing', async () => {
    const { call } = await start({ web: await webTo(1) });
    const added = await call('POST', '/sources', { kind: 'imap', address: 'imaps://ann@127.0.0.1/' });
    expect([added.status, added.body.message]).toEqual([400, expect.stringContaining('needs a password or a token')]);
    expect((await call('GET', '/sources')).body.total_entries).toBe(0);
  });

  it('does not add a site or a bucket that cannot be read, unless it is told not to check', async () => {
    const { url, port } = await site();
    const { call } = await start({ web: await webTo(port) });
    const add = async (source: object) => {
      const { status, body } = await call('POST', '/sources', source);
      return `${status} ${body.message}`;
    };
    const gone = { kind: 'site', url: `${url}/docs/gone` };
    expect(await add(gone)).toMatch(
      /^502 \S+\/docs\/gone was not added because it could not be read: .*404.*"check": false/,
    );
    const { body: refusal } = await call('POST', '/sources', gone);
    // For interfaces that offer to skip the check in their own words.
    expect(refusal.failed_check).toMatch(/could not be read: .*404/);
    expect(refusal.failed_check).not.toMatch(/"check"|--no-check/);
    expect(await add({ ...gone, sitemap: true })).toMatch(/^502 .*sitemap\.xml.*404/);
    expect(await add({ kind: 'site', url: 'http://127.0.0.1:9/' })).toMatch(/^403 /);
    const credentials = { access_key_id: 'key', secret_access_key: 'secret-1' };
    const bucket = { kind: 's3', address: 's3://papers/', settings: { endpoint: `${url}/none` }, credentials };
    expect(await add(bucket)).toMatch(
      /^\d+ s3:\/\/papers\/\S* was not added because it could not be read: .*--no-check/,
    );
    expect((await call('GET', '/sources')).body.total_entries).toBe(0);
    expect((await call('POST', '/sources', { ...gone, check: false })).status).toBe(200);
    expect((await call('POST', '/sources', gone)).status).toBe(409);
    expect((await call('GET', '/sources')).body.total_entries).toBe(1);
  });

  it('refuses folders that are not allowed', async () => {
    const base = await realpath(await temporaryFolder());
    const outside = await realpath(await temporaryFolder());
    await symlink(outside, join(base, 'way-out'));
    await mkdir(join(base, '.secret'));
    await writeFile(join(base, 'a-file'), 'text');
    const { call } = await start({ allowedFolders: [base] });
    const refusal = async (path: string) => {
      const { status, body } = await call('POST', '/sources', { kind: 'folder', path });
      return `${status} ${body.message}`;
    };
    expect(await refusal(outside)).toMatch(/^403 .*CITEWELL_ALLOW_FOLDERS/);
    expect(await refusal(join(base, '..'))).toMatch(/^403/);
    expect(await refusal(join(base, 'way-out'))).toMatch(/^403/);
    expect(await refusal(join(base, '.secret'))).toMatch(/^403 .*hidden/);
    expect(await refusal('papers')).toMatch(/^400 .*absolute/);
    expect(await refusal(join(base, 'nothing'))).toMatch(/^400 .*not a readable folder/);
    expect(await refusal(join(base, 'a-file'))).toMatch(/^400 .*not a readable folder/);
    expect((await call('GET', '/sources')).body.total_entries).toBe(0);
  });

  it('is for superusers with folders, and private with sites', async () => {
    const { url, port } = await site();
    const base = await realpath(await temporaryFolder());
    const { call } = await start({
      isRequired: true,
      hasTestAdmin: true,
      allowedFolders: [base],
      web: await webTo(port),
    });
    const tokenOf = async (email: string) => {
      await call('POST', '/users', { email, password: 'a long pass phrase' });
      const form = { username: email, password: 'a long pass phrase' };
      return (await call('POST', '/users/login', form)).body.results.access_token.token as string;
    };
    const ada = await tokenOf('ada@example.org');
    const ben = await tokenOf('ben@example.org');
    expect((await call('POST', '/sources', { kind: 'folder', path: base }, ada)).status).toBe(403);
    const added = await call('POST', '/sources', { kind: 'site', url: `${url}/docs/mills`, crawl_depth: 0 }, ada);
    expect(added.status).toBe(200);
    const { id } = added.body.results;
    expect((await call('GET', '/sources', undefined, ben)).body.total_entries).toBe(0);
    expect((await call('DELETE', `/sources/${id}`, undefined, ben)).status).toBe(404);
    expect((await call('GET', '/sources', undefined, ada)).body.total_entries).toBe(1);
    const me = (await call('GET', '/users/me', undefined, ada)).body.results.id;
    await call('DELETE', `/users/${me}`, { password: 'a long pass phrase' }, ada);
    const admin = { username: 'admin@example.com', password: 'change_me_immediately' };
    const token = (await call('POST', '/users/login', admin)).body.results.access_token.token;
    expect((await call('GET', '/sources', undefined, token)).body.total_entries).toBe(0);
    const kinds = async (whose: string): Promise<string[]> =>
      (await call('GET', '/sources/kinds', undefined, whose)).body.results.map(({ kind }: { kind: string }) => kind);
    expect(await kinds(token)).toContain('mcp');
    expect(await kinds(ben)).toContain('s3');
    expect(await kinds(ben)).not.toContain('mcp');
  });

  it('follows no folder of someone who is no longer a superuser', async () => {
    const base = await realpath(await temporaryFolder());
    await writeFile(join(base, 'one.md'), '# One\n\nThe first paper.');
    const { call } = await start({ isRequired: true, hasTestAdmin: true, allowedFolders: [base] });
    const tokenOf = async (username: string, password: string) =>
      (await call('POST', '/users/login', { username, password })).body.results.access_token.token as string;
    const admin = await tokenOf('admin@example.com', 'change_me_immediately');
    const added = await call('POST', '/users', { email: 'ada@example.org', password: 'a long pass phrase' });
    const ada = `/users/${added.body.results.id}`;
    await call('POST', ada, { is_superuser: true }, admin);
    const token = await tokenOf('ada@example.org', 'a long pass phrase');
    const source = (await call('POST', '/sources', { kind: 'folder', path: base }, token)).body.results;
    const read = async () => (await call('GET', `/sources/${source.id}`, undefined, admin)).body.results;
    await vi.waitFor(async () => expect((await read()).last_sync.counts).toEqual({ ingested: 1 }), PATIENT);
    await vi.waitFor(async () => expect((await read()).state).toBe('following'), PATIENT);

    await call('POST', ada, { is_superuser: false }, admin);
    await vi.waitFor(async () => expect((await read()).state).toBe('stopped'), PATIENT);
    expect((await read()).problem).toContain('ada@example.org, is no longer a superuser');
    expect((await call('PATCH', `/sources/${source.id}`, { keep_deleted: true }, token)).status).toBe(403);
    await writeFile(join(base, 'two.md'), '# Two\n\nThe second paper.');
    await call('POST', `/sources/${source.id}/sync`, undefined, admin);
    await vi.waitFor(async () => expect((await read()).state).toBe('stopped'), PATIENT);
    expect((await call('GET', '/documents', undefined, admin)).body.total_entries).toBe(1);

    await call('POST', ada, { is_superuser: true }, admin);
    await call('POST', `/sources/${source.id}/sync`, undefined, admin);
    await vi.waitFor(async () => expect((await read()).state).toBe('following'), PATIENT);
    await vi.waitFor(
      async () => expect((await call('GET', '/documents', undefined, admin)).body.total_entries).toBe(2),
      PATIENT,
    );
  });
});

it('leaves no collections of a refused source or change', async () => {
  const folder = await realpath(await temporaryFolder());
  const { call } = await start({ allowedFolders: [folder] });
  const names = async (): Promise<string[]> =>
    (await call('GET', '/collections')).body.results.map(({ name }: { readonly name: string }) => name);
  const refused = await call('POST', '/sources', { kind: 'folder', path: '/', collections: ['Refused'] });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const { status, body } = await call('POST', '/sources', { kind: 'folder', path: folder, collections: ['Accepted'] });
  expect(status).toBe(200);
  expect((await call('POST', '/sources', { kind: 'folder', path: folder, collections: ['Refused'] })).status).toBe(409);
  const change = { settings: { bucket: 'x' }, collections: ['Refused'] };
  expect((await call('PATCH', `/sources/${body.results.id}`, change)).status).toBeGreaterThanOrEqual(400);
  expect((await names()).toSorted()).toEqual(['Accepted', 'Default']);
});
