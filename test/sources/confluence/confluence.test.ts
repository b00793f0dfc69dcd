import { describe, expect, it, onTestFinished } from 'vitest';
import { confluenceKind } from '../../../src/sources/confluence/confluence.ts';
import type { ReadOptions, RemoteNetwork } from '../../../src/sources/connector.ts';
import { kindOfAddress, readSettings, settingsOfAddress } from '../../../src/sources/kinds.ts';
import { collectListing, openNetwork, readOptions } from '../../support/collect-listing.ts';
import {
  type ConfluencePage,
  type ConfluenceSite,
  EMAIL,
  startConfluence,
  TOKEN,
} from '../../support/confluence-server.ts';

const SPACES = [
  { id: '11', key: 'ENG', type: 'global' },
  { id: '12', key: 'OPS', type: 'global' },
  { id: '13', key: '~ann', type: 'personal' },
];

const page = (id: string, title: string, more: Partial<ConfluencePage> = {}): ConfluencePage => ({
  id,
  space: 'ENG',
  title,
  version: 1,
  storage: `<p>Text of ${title}.</p>`,
  ...more,
});

const files = (id: string) => [
  { id: `att${id}1`, title: `plan-${id}.txt`, version: 1, mediaType: 'text/plain', bytes: `Plan ${id}.` },
  { id: `att${id}2`, title: `roof-${id}.png`, version: 1, mediaType: 'image/png', bytes: 'png' },
  { id: `att${id}3`, title: `drawing-${id}`, version: 1, mediaType: 'application/vnd.jgraph.mxfile', bytes: '<x/>' },
  { id: `att${id}4`, title: `notes-${id}.md`, version: 3, mediaType: 'text/markdown', bytes: `Notes ${id}.` },
];

async function open(
  edition: ConfluenceSite['edition'],
  pages: ConfluencePage[],
  settings: object = { spaces: ['ENG'] },
  { token = TOKEN, spaces = SPACES }: { readonly token?: string; readonly spaces?: ConfluenceSite['spaces'] } = {},
) {
  const server = await startConfluence({ edition, pages, spaces });
  onTestFinished(server.close);
  const network = openNetwork();
  onTestFinished(network.close);
  const given = { site: server.site, ...(edition === 'cloud' && { email: EMAIL }), ...settings };
  const connector = await confluenceKind.open(given as never, { token } as never, { network });
  return { ...server, connector };
}

describe.each(['cloud', 'data-center'] as const)('spaces of Confluence (%s)', (edition) => {
  it('are listed page by page: pages, blog posts and supported files', async () => {
    const pages = [
      page('1', 'One'),
      page('2', 'Two', { version: 7 }),
      page('3', 'Barn / roof', { files: files('3') }),
      page('4', 'Gone', { status: 'trashed' }),
      page('5', 'Old', { status: 'archived' }),
      page('6', 'News', { type: 'blogpost', files: files('6') }),
      page('7', 'Elsewhere', { space: 'OPS' }),
    ];
    const { connector, site, requests } = await open(edition, pages);
    const { items, end, failed } = await collectListing(connector);
    const keys = new Set(items.map(({ key }) => key));
    expect([...keys].sort()).toEqual(
      ['attachment/att31', 'attachment/att34', 'attachment/att61', 'attachment/att64'].concat(
        ...[['blogpost/6', 'page/1', 'page/2', 'page/3']],
      ),
    );
    expect([end, failed]).toEqual([{ kind: 'end', covers: 'all' }, []]);
    expect(requests.length).toBeGreaterThan(4);
    const base = site.replace('http:', 'confluence+http:');
    const item = items.find(({ key }) => key === 'page/3');
    expect(item).toMatchObject({
      uri: `${base}/pages/3`,
      title: 'Barn / roof',
      fileName: 'Barn roof.md',
      version: '1 ENG',
    });
    expect(item?.link).toBe(`${site}/${edition === 'cloud' ? 'spaces/X/pages' : 'display/X'}/3`);
    expect(items.find(({ key }) => key === 'attachment/att64')).toMatchObject({
      uri: `${base}/attachments/att64`,
      fileName: 'notes-6.md',
      size: 8,
      version: '3 notes-6.md',
    });
  });

  it('are read as Markdown, and their files unchanged', async () => {
    const storage =
      '<h1>Steps</h1><p>Order&nbsp;beams</p><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[a < b]]></ac:plain-text-body></ac:structured-macro>';
    const pages = [page('3', 'Barn roof', { storage, files: files('3') })];
    const { connector } = await open(edition, pages);
    const { items } = await collectListing(connector);
    const read = async (key: string, options: ReadOptions = readOptions) => {
      const item = items.find((each) => each.key === key);
      if (item === undefined) throw new Error(`${key} is not listed`);
      const { bytes, mediaType } = await connector.read(item, options);
      return [mediaType, Buffer.from(bytes).toString()];
    };
    expect(await read('page/3')).toEqual([
      'text/markdown',
      '# Barn roof\n\n## Steps\n\nOrder beams\n\n```\na < b\n```',
    ]);
    // The server refuses credentials where files are kept.
    expect(await read('attachment/att31')).toEqual(['text/plain', 'Plan 3.']);
    await expect(read('page/3', { ...readOptions, maxBytes: 50 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(read('attachment/att31', { ...readOptions, maxBytes: 3 })).rejects.toMatchObject({
      code: 'too_large',
    });
    if (pages[0] !== undefined) pages[0].status = 'trashed';
    await expect(read('page/3')).rejects.toMatchObject({ code: 'not_found' });
    await expect(read('attachment/att31')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('show new, changed, moved and deleted pages in a further listing', async () => {
    const pages = [page('1', 'One'), page('2', 'Two'), page('3', 'Three', { files: files('3') })];
    const { connector } = await open(edition, pages);
    const versions = async () =>
      Object.fromEntries((await collectListing(connector)).items.map(({ key, version }) => [key, version]));
    const before = await versions();
    expect(before).toMatchObject({ 'page/1': '1 ENG', 'page/2': '1 ENG', 'attachment/att31': '1 plan-3.txt' });
    pages.splice(0, 1, page('1', 'One more', { version: 2 }));
    pages.splice(1, 1, page('4', 'Four'));
    const [plan] = pages[2]?.files ?? [];
    if (plan !== undefined) plan.version = 2;
    const after = await versions();
    expect(after).toMatchObject({ 'page/1': '2 ENG', 'page/4': '1 ENG', 'attachment/att31': '2 plan-3.txt' });
    expect(after).not.toHaveProperty('page/2');
  });

  it.each(['AUTHENTICATED_FAILED', 'AUTHENTICATION_DENIED'])(
    'are not listed when the server answers as to anonymous visitors (%s)',
    async (reason) => {
      const { connector, refusals } = await open(edition, [page('1', 'One')]);
      const answered = { status: 200, headers: { 'x-seraph-loginreason': reason }, body: '{"results": []}' };
      refusals.push(answered);
      await expect(collectListing(connector)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('treated the request as anonymous'),
      });
      expect((await collectListing(connector)).items.map(({ key }) => key)).toEqual(['page/1']);
    },
  );

  it('are all except personal ones, and a missing one is named', async () => {
    const pages = [page('1', 'One'), page('2', 'Two', { space: 'OPS' }), page('3', 'Mine', { space: '~ann' })];
    const all = await open(edition, pages, {});
    expect(new Set((await collectListing(all.connector)).items.map(({ key }) => key))).toEqual(
      new Set(['page/1', 'page/2']),
    );
    const some = await open(edition, pages, { spaces: ['OPS', 'NONE'] });
    const { items, failed } = await collectListing(some.connector);
    expect([items.map(({ key }) => key), failed.map(({ key }) => key)]).toEqual([['page/2'], ['NONE']]);
    const none = await open(edition, pages, { spaces: ['NONE'] });
    await expect(collectListing(none.connector)).rejects.toMatchObject({
      message: 'NONE: There is no such space, or the account may not see it. The documents stay.',
    });
    const empty = await open(edition, [], { spaces: ['ENG'] });
    expect(await collectListing(empty.connector)).toMatchObject({ items: [], end: { covers: 'all' } });
  });

  it('respect Retry-After, and report what is refused', async () => {
    const pages = [page('1', 'One'), page('2', 'Two', { space: 'OPS' })];
    const { connector, refusals } = await open(edition, pages, { spaces: ['ENG', 'OPS'] });
    refusals.push({ status: 429, headers: { 'retry-after': '0' } }, { status: 429, headers: { 'retry-after': '0' } });
    expect((await collectListing(connector)).items).toHaveLength(2);
    // One space is refused: nothing is taken as gone, and the others are listed.
    refusals.push({ status: 403, path: edition === 'cloud' ? /spaces\/11\/pages/ : /rest\/api\/content$/ });
    const { items, failed } = await collectListing(connector);
    expect([items.map(({ key }) => key), failed.map(({ key }) => key)]).toEqual([['page/2'], ['ENG']]);
    const { connector: wrong } = await open(edition, pages, {}, { token: 'wrong' });
    await expect(collectListing(wrong)).rejects.toMatchObject({ code: 'unauthenticated' });
    refusals.push({ status: 302, headers: { location: 'https://login.example.org/' } });
    await expect(collectListing(connector)).rejects.toMatchObject({ message: expect.stringContaining('302') });
  });
});

it('lists the files of the whole site where there are many pages', async () => {
  const pages = Array.from({ length: 260 }, (_, at) =>
    page(`${at}`, `Page ${at}`, at % 100 === 0 ? { files: files(`${at}`) } : {}),
  );
  pages.push(page('x', 'Elsewhere', { space: 'OPS', files: files('x') }));
  const server = await startConfluence({ edition: 'cloud', pages, spaces: SPACES, perAnswer: 250 });
  onTestFinished(server.close);
  const network = openNetwork();
  onTestFinished(network.close);
  const settings = { site: server.site, email: EMAIL, spaces: ['ENG'] };
  const connector = await confluenceKind.open(settings as never, { token: TOKEN } as never, { network });
  const { items } = await collectListing(connector);
  expect(items.filter(({ key }) => key.startsWith('attachment/'))).toHaveLength(6);
  expect(items).toHaveLength(266);
  expect(server.requests).toHaveLength(5);
});

it('skips no page when others are deleted while a self-hosted server is listed', async () => {
  const pages = Array.from({ length: 6 }, (_, at) => page(`${at}`, `Page ${at}`));
  const { connector, requests } = await open('data-center', pages);
  const seen = new Set<string>();
  for await (const each of connector.list(undefined, AbortSignal.timeout(60_000))) {
    if (each.kind === 'item') seen.add(each.key);
    // After the first part: the third page moves to a place that was listed.
    if (seen.size === 2 && pages.length === 6) pages.shift();
  }
  expect(seen).toContain('page/2');
  expect(requests.filter((each) => each.includes('type=page')).length).toBeGreaterThan(3);
});

it('reaches the cloud through its gateway, as scoped tokens require, and links to the site', async () => {
  const server = await startConfluence({ edition: 'cloud', pages: [page('1', 'One')], spaces: SPACES });
  onTestFinished(server.close);
  const gateway = 'https://api.atlassian.com/ex/confluence/cloud-1/wiki';
  const network: RemoteNetwork = {
    fetch: (input, init) => fetch(String(input).replace(gateway, server.site), init),
    addressOf: () => Promise.reject(new Error('Only for other protocols.')),
  };
  const address = `confluence://ann%40example.org@${gateway.slice('https://'.length)}/spaces/ENG`;
  const { settings } = readSettings(confluenceKind, { address, settings: {} });
  const connector = await confluenceKind.open(settings as never, { token: TOKEN } as never, { network });
  expect((await collectListing(connector)).items).toMatchObject([
    {
      key: 'page/1',
      link: `${server.site}/spaces/X/pages/1`,
      uri: `${gateway.replace('https', 'confluence')}/pages/1`,
    },
  ]);
});

it('recognises a login page as a failure', async () => {
  const { connector, refusals } = await open('data-center', [page('1', 'One')]);
  const [item] = (await collectListing(connector)).items;
  if (item === undefined) throw new Error('not listed');
  refusals.push({ status: 200, body: '<html>Log in</html>' });
  await expect(connector.read(item, readOptions)).rejects.toMatchObject({
    code: 'provider_failed',
    message: expect.stringContaining('a web page, such as one to log in'),
  });
});

describe('addresses of Confluence', () => {
  it('are browser addresses with another scheme', () => {
    const address = 'confluence://Team.atlassian.net/wiki/spaces/ENG/pages/123/Title';
    expect(kindOfAddress(address)).toBe(confluenceKind);
    expect(settingsOfAddress(confluenceKind, address)).toEqual({
      site: 'https://team.atlassian.net/wiki',
      spaces: ['ENG'],
    });
    const own = 'confluence+http://wiki.example.org:8090/confluence/display/OPS';
    expect(settingsOfAddress(confluenceKind, own)).toEqual({
      site: 'http://wiki.example.org:8090/confluence',
      spaces: ['OPS'],
    });
    expect(
      readSettings(confluenceKind, { address: 'confluence://ann%40example.org@team.atlassian.net', settings: {} }),
    ).toEqual({
      address: 'confluence://team.atlassian.net/wiki',
      settings: { site: 'https://team.atlassian.net/wiki', email: 'ann@example.org' },
    });
    expect(confluenceKind.addressOf({ site: 'https://w.example.org/', spaces: ['A', '~b c'] } as never)).toBe(
      'confluence://w.example.org/spaces/A,~b%20c',
    );
    expect(() => confluenceKind.addressOf({ site: 'wiki' } as never)).toThrow('expected an address');
    expect(() => confluenceKind.addressOf({ site: 'https://:hidden@wiki.example.org' } as never)).toThrow(
      'expected an address',
    );
  });

  it('need the account at Atlassian’s cloud', async () => {
    const network = openNetwork();
    onTestFinished(network.close);
    await expect(
      confluenceKind.open({ site: 'https://t.atlassian.net' } as never, { token: 'x' } as never, { network }),
    ).rejects.toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('setting email') });
  });
});
