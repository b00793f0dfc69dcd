import { describe, expect, it, onTestFinished } from 'vitest';
import type { ReadOptions, SourceConnector } from '../../../src/sources/connector.ts';
import { gdriveKind } from '../../../src/sources/gdrive/gdrive.ts';
import { kindOfAddress, settingsOfAddress } from '../../../src/sources/kinds.ts';
import { collectListing, readOptions } from '../../support/collect-listing.ts';
import {
  CLIENT,
  DOCUMENT,
  type DriveEntry,
  FORM,
  folder,
  ROBOT,
  SERVICE_KEY,
  shortcut,
  startDrive,
  textFile,
} from '../../support/drive-server.ts';

const KEY = { service_account_key: SERVICE_KEY };

interface Opening {
  readonly settings?: object;
  readonly secrets?: object;
  readonly isMember?: boolean;
}

async function open(entries: readonly DriveEntry[], { settings, secrets = KEY, isMember = true }: Opening = {}) {
  const server = await startDrive(entries, { isMember });
  onTestFinished(server.close);
  const { network } = server;
  const given = { folder: 'top', ...settings };
  return { ...server, connector: await gdriveKind.open(given as never, secrets as never, { network }) };
}

const keysOf = async (connector: SourceConnector, cursor?: string) => {
  const { items, removed, end, ...others } = await collectListing(connector, cursor);
  return { keys: [...new Set(items.map(({ key }) => key))].sort(), removed, covers: end?.covers, items, ...others };
};

async function read(connector: SourceConnector, key: string, options: ReadOptions = readOptions) {
  const item = (await collectListing(connector)).items.find((each) => each.key === key);
  if (item === undefined) throw new Error(`${key} is not listed`);
  const { bytes, mediaType } = await connector.read(item, options);
  return [item.fileName, mediaType, Buffer.from(bytes).toString()];
}

const tree = () => [
  folder('top', 'my-drive'),
  folder('inner', 'top'),
  folder('deep', 'inner'),
  folder('other', 'my-drive'),
  textFile('a', 'top', 'One'),
  textFile('b', 'inner', 'Two'),
  textFile('c', 'deep', 'Three'),
  textFile('d', 'other', 'Elsewhere'),
  textFile('e', 'top', 'Trashed', { trashed: true }),
  { ...textFile('doc', 'deep', 'Minutes'), name: 'Minutes: May', mimeType: DOCUMENT },
  { ...textFile('form', 'top', ''), mimeType: FORM },
];

describe('a folder of Google Drive', () => {
  it('is listed recursively and read; Google documents are exported to Office formats', async () => {
    const { connector, claims } = await open(tree());
    const { keys, covers, items } = await keysOf(connector);
    expect([keys, covers]).toEqual([['a', 'b', 'c', 'doc'], 'all']);
    expect(items.find(({ key }) => key === 'doc')).toMatchObject({
      uri: 'gdrive://top/doc',
      fileName: 'Minutes May.docx',
      title: 'Minutes: May',
      link: 'https://drive.google.com/file/d/doc/view',
      version: '2025-01-06T10:00:01.000Z Minutes: May',
    });
    expect(items.find(({ key }) => key === 'a')).toMatchObject({
      size: 3,
      version: expect.stringMatching(/^\w{32} a/),
    });
    expect(await read(connector, 'c')).toEqual(['c.txt', 'text/plain', 'Three']);
    expect(await read(connector, 'doc')).toEqual([
      'Minutes May.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'document: Minutes',
    ]);
    await expect(read(connector, 'c', { ...readOptions, maxBytes: 2 })).rejects.toMatchObject({ code: 'too_large' });
    expect(claims).toHaveLength(1);
    expect(claims[0]).toMatchObject({ iss: ROBOT, scope: 'https://www.googleapis.com/auth/drive.readonly' });
  });

  it('then reports changes: new, changed, renamed, moved in, moved out, trashed and deleted files', async () => {
    const { connector, put, remove, requests } = await open([
      ...tree(),
      textFile('f', 'top', 'Four'),
      textFile('g', 'top', 'Five'),
    ]);
    const first = await keysOf(connector);
    expect(first.keys).toEqual(['a', 'b', 'c', 'doc', 'f', 'g']);
    expect(await keysOf(connector, first.cursor)).toMatchObject({ keys: [], removed: [], covers: 'changes' });
    put({ id: 'new', name: 'new.txt', parents: ['deep'], content: 'New' });
    put({ id: 'a', content: 'One more' });
    put({ id: 'doc', name: 'Minutes of May' });
    put({ id: 'd', parents: ['inner'] });
    put({ id: 'b', parents: ['other'] });
    put({ id: 'c', trashed: true });
    put({ id: 'elsewhere', parents: ['other'], content: 'No matter' });
    remove('f');
    requests.splice(0);
    const second = await keysOf(connector, first.cursor);
    expect(second).toMatchObject({ keys: ['a', 'd', 'doc', 'new'], covers: 'changes' });
    expect([...second.removed].sort()).toEqual(['b', 'c', 'elsewhere', 'f']);
    expect(second.items.find(({ key }) => key === 'doc')).toMatchObject({ fileName: 'Minutes of May.docx' });
    expect(requests.filter((each) => each.includes('/files?'))).toEqual([]);
    expect(await keysOf(connector, second.cursor)).toMatchObject({ keys: [], removed: [], covers: 'changes' });
  });

  it('includes the content of a folder that was moved in or created', async () => {
    const { connector, put } = await open([...tree(), folder('sub', 'other'), textFile('s', 'sub', 'Below')]);
    const first = await keysOf(connector);
    put({ id: 'other', parents: ['top'] });
    const second = await keysOf(connector, first.cursor);
    expect(second).toMatchObject({ keys: ['d', 's'], removed: [], covers: 'changes' });
    // It is known now.
    put({ id: 't', parents: ['sub'], name: 't.txt', content: 'Later' });
    expect(await keysOf(connector, second.cursor)).toMatchObject({ keys: ['t'], covers: 'changes' });
  });

  it.each([
    ['is moved away', (put: Put) => put({ id: 'inner', parents: ['other'] })],
    ['is in the trash', (put: Put) => put({ id: 'inner', trashed: true })],
    ['is no longer shared', (put: Put) => put({ id: 'inner', isShared: false, parents: ['other'] })],
  ])('lists everything again when a folder %s', async (_, change) => {
    const { connector, put } = await open(tree());
    const first = await keysOf(connector);
    change(put);
    expect(await keysOf(connector, first.cursor)).toMatchObject({ keys: ['a'], covers: 'all' });
  });

  it('lists everything again when the change token has expired', async () => {
    const { connector, put, forgetChanges } = await open(tree());
    put({ id: 'a', content: 'Other' });
    const first = await keysOf(connector);
    forgetChanges();
    expect(await keysOf(connector, first.cursor)).toMatchObject({ keys: ['a', 'b', 'c', 'doc'], covers: 'all' });
    expect(await keysOf(connector, 'nonsense')).toMatchObject({ covers: 'all' });
  });

  it('follows shortcuts to files, not to folders, and notices when they go', async () => {
    const links = [shortcut('s1', 'top', 'd'), shortcut('s2', 'inner', 'other'), shortcut('s3', 'top', 'nowhere')];
    const { connector, put, remove } = await open([...tree(), ...links]);
    const first = await keysOf(connector);
    expect(first).toMatchObject({ keys: ['a', 'b', 'c', 'd', 'doc'], covers: 'all' });
    expect(await read(connector, 'd')).toEqual(['d.txt', 'text/plain', 'Elsewhere']);
    put({ id: 'd', content: 'Changed' });
    const second = await keysOf(connector, first.cursor);
    expect(second).toMatchObject({ keys: ['d'], covers: 'changes' });
    expect(second.items[0]?.version).not.toBe(first.items.find(({ key }) => key === 'd')?.version);
    expect(second.removed).not.toContain('d');
    put({ id: 'd', trashed: true });
    expect((await keysOf(connector, second.cursor)).removed).toContain('d');
    put({ id: 'd', trashed: false });
    remove('s1');
    expect(await keysOf(connector, second.cursor)).toMatchObject({ keys: ['a', 'b', 'c', 'doc'], covers: 'all' });
  });

  it('treats the target of a shortcut as unknown, not as deleted, when Google refuses access', async () => {
    const { connector, refusals, put } = await open([...tree(), shortcut('s1', 'top', 'd')]);
    const first = await keysOf(connector);
    const refuse = () => refusals.push({ path: /files\/d$/, status: 403, reason: 'someNewReason' });
    refuse();
    const whole = await collectListing(connector);
    expect(whole).toMatchObject({ unknown: ['d'], removed: [], failed: [], end: { covers: 'all' } });
    refuse();
    const changes = await collectListing(connector, first.cursor);
    expect(changes).toMatchObject({ unknown: ['d'], removed: [], end: { covers: 'changes' } });
    put({ id: 'd', isShared: false });
    expect((await keysOf(connector, first.cursor)).removed).toContain('d');
  });

  it('is refused with a clear message: not shared, in the trash, no folder', async () => {
    const { connector, put } = await open(tree());
    put({ id: 'top', isShared: false });
    await expect(collectListing(connector)).rejects.toMatchObject({
      code: 'invalid_request',
      message: `The folder top is not there, or not shared with ${ROBOT}. The documents stay.`,
    });
    put({ id: 'top', isShared: true, trashed: true });
    await expect(collectListing(connector)).rejects.toThrow('in the trash');
    const { connector: file } = await open(tree(), { settings: { folder: 'a' } });
    await expect(collectListing(file)).rejects.toThrow('a is a file of Google Drive, not a folder');
    const { connector: empty } = await open([folder('top', 'my-drive')]);
    expect(await keysOf(empty)).toMatchObject({ keys: [], covers: 'all' });
    const { connector: mine } = await open([folder('my-drive'), ...tree()], { settings: { folder: 'root' } });
    expect((await keysOf(mine)).keys).toEqual(['a', 'b', 'c', 'd', 'doc']);
  });
});

type Put = Awaited<ReturnType<typeof startDrive>>['put'];

describe('a shared drive', () => {
  const driveId = 'drive';
  const shared = () => [
    folder('drive', '', { driveId }),
    folder('part', 'drive', { driveId }),
    textFile('a', 'drive', 'One', { driveId }),
    textFile('b', 'part', 'Two', { driveId }),
  ];

  it('is listed and followed by its own changes', async () => {
    const { connector, put, requests } = await open(shared(), { settings: { folder: 'drive' } });
    const first = await keysOf(connector);
    expect(first).toMatchObject({ keys: ['a', 'b'], covers: 'all' });
    put({ id: 'b', content: 'Two more' });
    expect(await keysOf(connector, first.cursor)).toMatchObject({ keys: ['b'], covers: 'changes' });
    expect(requests.at(-1)).toContain('driveId=drive');
  });

  it('is listed completely each time for an account that has access to a folder but is no member', async () => {
    const { connector } = await open(shared(), { settings: { folder: 'part' }, isMember: false });
    const first = await keysOf(connector);
    expect(first).toMatchObject({ keys: ['b'], covers: 'all', cursor: undefined });
  });
});

describe('access to Google Drive', () => {
  it('uses a refresh token, or a service account on behalf of a user', async () => {
    const { connector, requests } = await open(tree(), { secrets: CLIENT });
    expect((await keysOf(connector)).keys).toHaveLength(4);
    expect(requests.filter((each) => each.includes('/token'))).toHaveLength(1);
    const { connector: acting, claims } = await open(tree(), { settings: { user: 'ann@example.org' } });
    await collectListing(acting);
    expect(claims[0]).toMatchObject({ sub: 'ann@example.org' });
  });

  it.each([
    [{ secrets: { ...CLIENT, refresh_token: 'old' } }, 'the refresh token has expired or was revoked'],
    [{ secrets: { ...CLIENT, client_secret: 'wrong' } }, 'the id or the secret of the OAuth client is wrong'],
    [{ settings: { user: 'nobody@example.org' } }, 'may not act for this user'],
    [{ secrets: { service_account_key: SERVICE_KEY.replace(ROBOT, 'x@y.z') } }, 'the key is deleted or not valid'],
    [{ secrets: { service_account_key: SERVICE_KEY.replace(/KEY-----.{40}/, 'KEY-----') } }, 'private key is damaged'],
  ])('is refused with a clear message: %#', async (opening, words) => {
    const { connector } = await open(tree(), opening);
    const refused = await collectListing(connector).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining(words) });
    expect(refused).toMatchObject({ message: expect.not.stringContaining('words of the server') });
  });

  it.each([
    [{}, undefined],
    [{ ...KEY, ...CLIENT }, undefined],
    [{ service_account_key: '{"type":"authorized_user"}' }, 'expected the whole content'],
    [{ client_id: 'x' }, undefined],
  ])('needs one complete credential: %#', async (secrets, words = 'needs either') => {
    await expect(open(tree(), { secrets })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining(words),
    });
  });

  it('waits after too many requests, and requests another token after a refusal', async () => {
    const { connector, refusals, requests, expireToken } = await open(tree());
    refusals.push({ path: /files$/, status: 403, reason: 'userRateLimitExceeded', retryAfter: 0 });
    refusals.push({ path: /files$/, status: 429, retryAfter: 0 });
    expect((await keysOf(connector)).keys).toHaveLength(4);
    refusals.push({ path: /files\/top$/, status: 403, reason: 'accessNotConfigured' });
    await expect(collectListing(connector)).rejects.toThrow('Enable "Google Drive API"');
    expireToken();
    await expect(collectListing(connector)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await keysOf(connector)).keys).toHaveLength(4);
    expect(requests.filter((each) => each.includes('/token'))).toHaveLength(2);
  });

  it.each([
    ['exportSizeLimitExceeded', 'too_large', 'Google exports at most 10 MB'],
    ['cannotDownloadFile', 'forbidden', 'permits no download'],
    ['cannotDownloadAbusiveFile', 'invalid_request', 'malware'],
    ['somethingNew', 'forbidden', '403 (somethingNew)'],
  ])('reports why one file is refused: %s', async (reason, code, words) => {
    const { connector, refusals } = await open(tree());
    refusals.push({ path: /\/export$/, status: 403, reason });
    await expect(read(connector, 'doc')).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('reports a document that is too large to be exported, or deleted', async () => {
    const { connector, limitExports, put } = await open(tree());
    const { items } = await collectListing(connector);
    limitExports(3);
    await expect(read(connector, 'doc')).rejects.toMatchObject({ code: 'too_large' });
    const item = items.find(({ key }) => key === 'c');
    if (item === undefined) throw new Error('not listed');
    put({ id: 'c', trashed: true });
    await expect(connector.read(item, readOptions)).rejects.toMatchObject({ code: 'not_found' });
    put({ id: 'c', isShared: false });
    await expect(connector.read(item, readOptions)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('is addressed by the identifier of a folder', () => {
  expect(kindOfAddress('gdrive://1dyUEebJ_-A')).toBe(gdriveKind);
  expect(settingsOfAddress(gdriveKind, 'gdrive://1dyUEebJ_-A')).toEqual({ folder: '1dyUEebJ_-A' });
  expect(gdriveKind.addressOf({ folder: '1dyUEebJ_-A' } as never)).toBe('gdrive://1dyUEebJ_-A');
  expect(() => gdriveKind.addressOf({ folder: "x' or 'y" } as never)).toThrow('last part of its address');
});
