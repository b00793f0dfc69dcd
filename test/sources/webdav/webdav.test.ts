import { describe, expect, it, onTestFinished } from 'vitest';
import type { RemoteItem } from '../../../src/sources/connector.ts';
import { kindOfAddress, settingsOfAddress } from '../../../src/sources/kinds.ts';
import { pathOfHref, readMultistatus } from '../../../src/sources/webdav/read-multistatus.ts';
import { webdavKind } from '../../../src/sources/webdav/webdav-kind.ts';
import { collectListing, openNetwork, readOptions } from '../../support/collect-listing.ts';
import { startWebdav } from '../../support/webdav-server.ts';

async function files() {
  const server = await startWebdav('ann', 'right');
  onTestFinished(server.close);
  const open = async (settings: object = {}, password = 'right') => {
    const network = openNetwork();
    onTestFinished(network.close);
    return webdavKind.open({ url: server.url, user: 'ann', ...settings } as never, { password } as never, { network });
  };
  return { ...server, open };
}

const keys = (items: readonly RemoteItem[]) => items.map(({ key }) => key).toSorted();

describe('a folder of a WebDAV server', () => {
  it('is listed recursively and read; changed files have new versions, and deleted ones are omitted', async () => {
    const { open, folder, put, remove, port } = await files();
    await folder('docs');
    await folder('docs/a b+ü');
    await folder('empty');
    await put('docs/rivers.md', '# Rivers');
    await put('docs/a b+ü/100% #1?.md', '# Mills');
    await put('top.md', '# Top');
    const connector = await open();
    const { items, end } = await collectListing(connector);
    expect(keys(items)).toEqual(['docs/a b+ü/100% #1?.md', 'docs/rivers.md', 'top.md']);
    expect(end).toMatchObject({ covers: 'all' });
    const mills = items.find(({ fileName }) => fileName === '100% #1?.md');
    if (mills === undefined) throw new Error('not listed');
    expect(mills).toMatchObject({
      uri: `dav://ann@127.0.0.1:${port}/docs/a%20b%2B%C3%BC/100%25%20%231%3F.md`,
      size: 7,
      modified: expect.stringMatching(/^20/),
    });
    expect(Buffer.from((await connector.read(mills, readOptions)).bytes).toString()).toBe('# Mills');
    await expect(connector.read(mills, { ...readOptions, maxBytes: 3 })).rejects.toMatchObject({ code: 'too_large' });

    await put('docs/rivers.md', '# Rivers, and more');
    await remove('top.md');
    const changed = await collectListing(connector);
    expect(keys(changed.items)).toEqual(['docs/a b+ü/100% #1?.md', 'docs/rivers.md']);
    const versions = new Map(items.map(({ key, version }) => [key, version]));
    expect(changed.items.filter(({ key, version }) => versions.get(key) === version).map(({ key }) => key)).toEqual([
      mills.key,
    ]);
    const below = await open({ url: `http://127.0.0.1:${port}/docs`, include: ['*.md'], exclude: ['rivers.*'] });
    expect(keys((await collectListing(below)).items)).toEqual(['a b+ü/100% #1?.md']);
  });

  it('reports what is refused, missing, locked, full or no folder', async () => {
    const { open, put, url, state } = await files();
    await put('a.md', '# A');
    await expect(collectListing(await open({}, 'wrong'))).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(collectListing(await open({ url: `${url}/none` }))).rejects.toThrow('there is no such folder');
    await expect(collectListing(await open({ url: `${url}/a.md` }))).rejects.toThrow('is a file');
    const connector = await open();
    const [item] = (await collectListing(connector)).items;
    if (item === undefined) throw new Error('not listed');
    const answers = (status: number, headers: Record<string, string> = {}, text = '') => {
      state.intercept = (_, response) => {
        response.writeHead(status, headers).end(text);
        return true;
      };
    };
    answers(423);
    await expect(connector.read(item, readOptions)).rejects.toMatchObject({
      message: expect.stringContaining('locked'),
    });
    answers(507);
    await expect(connector.read(item, readOptions)).rejects.toThrow('no space left');
    answers(404);
    await expect(connector.read(item, readOptions)).rejects.toMatchObject({ code: 'not_found' });
    answers(405);
    await expect(collectListing(connector)).rejects.toThrow('not a folder of a WebDAV server');
    answers(207, {}, '<d:multistatus xmlns:d="DAV:"><d:response><d:href>/</d:href>');
    await expect(collectListing(connector)).rejects.toThrow('did not answer as a WebDAV server');
    answers(302, { location: 'https://other.example/' });
    await expect(collectListing(connector)).rejects.toThrow('leads to https://other.example');
    const seen: string[] = [];
    state.intercept = (request, response) => {
      seen.push(request.url ?? '');
      if (request.url?.startsWith('/new')) return false;
      response.writeHead(301, { location: '/new/' }).end();
      return true;
    };
    await expect(collectListing(connector)).rejects.toThrow('there is no such folder');
    expect(seen).toEqual(['/', '/new/']);
  });

  it('stops at a folder that contains itself, and keeps the documents of one that cannot be listed', async () => {
    const { open, state } = await files();
    const entry = (path: string) =>
      `<response><href>${path}</href><propstat><prop><resourcetype><collection/></resourcetype></prop>` +
      '<status>HTTP/1.1 200 OK</status></propstat></response>';
    state.intercept = ({ url = '' }, response) => {
      if (url === '/secret/') {
        response.writeHead(403).end();
        return true;
      }
      const inner = [entry(url), entry(`${url}again/`), ...(url === '/' ? [entry('/secret/')] : [])];
      response.writeHead(207).end(`<multistatus xmlns="DAV:">${inner.join('')}</multistatus>`);
      return true;
    };
    const listed = [];
    for await (const each of (await open()).list(undefined, readOptions.signal)) listed.push(each);
    expect(listed.map(({ kind }) => kind)).toEqual(['failed', 'skipped', 'end']);
    expect(listed[0]).toMatchObject({ key: 'secret' });
  });
});

const response = (href: string, inner: string) => `<response><href>${href}</href>${inner}</response>`;
const part = (status: string, prop: string) => `<propstat><prop>${prop}</prop><status>${status}</status></propstat>`;
const aFolder = (href: string) => response(href, part('HTTP/1.1 200 OK', '<resourcetype><collection/></resourcetype>'));
const aFile = (href: string, etag: string) =>
  response(href, part('HTTP/1.1 200 OK', `<resourcetype/>${etag && `<getetag>${etag}</getetag>`}`));

describe('an answer to PROPFIND', () => {
  const listing = async (answers: Readonly<Record<string, readonly string[]>>, settings: object = {}) => {
    const { open, state } = await files();
    state.intercept = ({ url = '' }, answer) => {
      answer.writeHead(207).end(`<multistatus xmlns="DAV:">${(answers[url] ?? []).join('')}</multistatus>`);
      return true;
    };
    return collectListing(await open(settings));
  };

  it('treats refused entries as unknown, and deleted ones as absent', async () => {
    const refused = [
      response('/a.md', '<status>HTTP/1.1 403 Forbidden</status>'),
      response('/locked/', part('HTTP/1.1 423 Locked', '<resourcetype/><getetag/>')),
      response('/old.md', '<status>HTTP/1.1 404 Not Found</status>'),
      response('/drafts.txt', '<status>HTTP/1.1 403 Forbidden</status>'),
    ];
    const { items, failed } = await listing(
      { '/': [aFolder('/'), ...refused, aFile('/b.md', 'x')] },
      { exclude: ['*.txt'] },
    );
    expect(keys(items)).toEqual(['b.md']);
    expect(failed.map(({ key, reason }) => [key, /\d{3}/.exec(reason.replace(/^\S+/, ''))?.[0]])).toEqual([
      ['a.md', '403'],
      ['locked', '423'],
    ]);
  });

  it('is incomplete when the server truncated it', async () => {
    const cut = response('/', '<status>HTTP/1.1 507 Insufficient Storage</status>');
    const { items, failed } = await listing({ '/': [aFolder('/'), aFile('/b.md', 'x'), cut] });
    expect(keys(items)).toEqual(['b.md']);
    expect(failed).toMatchObject([{ reason: expect.stringContaining('507') }]);
  });

  it('without the folder itself is refused, and not mistaken for that of a subfolder', async () => {
    const top = [aFolder('/'), aFolder('/docs/')];
    await expect(listing({ '/': top, '/docs/': [aFolder('/docs/inner/')] })).rejects.toThrow(
      'without the folder itself',
    );
    await expect(listing({ '/': top, '/docs/': [aFolder('/docs/a/'), aFile('/docs/b.md', 'x')] })).rejects.toThrow(
      'without the folder itself',
    );
    const moved = await listing({
      '/': [aFolder('/dav/'), aFolder('/dav/docs/')],
      '/docs/': [aFolder('/dav/Docs/'), aFile('/dav/Docs/b.md', 'x')],
    });
    expect(keys(moved.items)).toEqual(['docs/b.md']);
  });

  it('without any version has the file read each time', async () => {
    const { items } = await listing({ '/': [aFolder('/'), aFile('/a.md', ''), aFile('/b.md', '')] });
    const versions = items.map(({ version }) => version);
    expect(versions.every((version) => version !== '')).toBe(true);
    expect(new Set(versions).size).toBe(2);
  });
});

it('reads responses with any namespace prefix, and with missing members', () => {
  const xml = `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:o="http://owncloud.org/ns"><D:response>
    <D:href>https://h:8080/remote.php/dav/files/ann/a%20%26%20b.md</D:href>
    <D:propstat><D:prop><D:resourcetype/><D:getetag>W/&quot;abc&quot;</D:getetag><o:fileid>42</o:fileid></D:prop>
    <D:status>HTTP/1.1 200 OK</D:status></D:propstat>
    <D:propstat><D:prop><D:getcontentlength>7</D:getcontentlength></D:prop><D:status>HTTP/1.1 404 Not Found</D:status>
    </D:propstat></D:response></D:multistatus>`;
  expect(readMultistatus(xml, 'h').entries).toEqual([
    {
      path: ['remote.php', 'dav', 'files', 'ann', 'a & b.md'],
      isFolder: false,
      etag: 'abc',
      fileId: '42',
      size: undefined,
      modified: undefined,
      refused: undefined,
    },
  ]);
  expect(pathOfHref('/a/%2e%2e/b')).toBeUndefined();
  expect(pathOfHref('/a%2Fb')).toBeUndefined();
  expect(pathOfHref('/100%')).toBeUndefined();
});

it.each([
  [
    'davs://ann@c.example/remote.php/dav/files/ann/My%20Docs/',
    'davs://ann@c.example/remote.php/dav/files/ann/My%20Docs',
  ],
  ['webdavs://ann@c.example/apps/files/?dir=/My%20Docs', 'davs://ann@c.example/remote.php/dav/files/ann/My%20Docs'],
  ['davs://ann@c.example/nc/index.php/apps/files/files/7?dir=/', 'davs://ann@c.example/nc/remote.php/dav/files/ann'],
  ['davs://c.example/index.php/s/aB3', 'davs://c.example/public.php/dav/files/aB3'],
  ['dav://nas.example:5005/share', 'dav://nas.example:5005/share'],
])('knows the folder of %s', (address, expected) => {
  expect(kindOfAddress(address)).toBe(webdavKind);
  expect(webdavKind.addressOf(settingsOfAddress(webdavKind, address) as never)).toBe(expected);
});

it('refuses addresses with a password, without the user’s name, or of another scheme', () => {
  expect(() => settingsOfAddress(webdavKind, 'davs://ann:secret@c.example/')).toThrow('carries a password');
  expect(() => webdavKind.addressOf({ url: 'https://c.example/apps/files' } as never)).toThrow('need the name');
  expect(() => webdavKind.addressOf({ url: 'ftp://c.example/' } as never)).toThrow('expected an address');
});
