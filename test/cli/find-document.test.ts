import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { documentIdOf } from '../../src/cli/find-document.ts';
import { userWorkingFolder } from '../../src/cli/main.ts';

const ids = [
  'a3000000-0000-4000-8000-000000000001',
  'a3000000-0000-4000-8000-000000000002',
  'b7000000-0000-4000-8000-000000000003',
];
const titles = ['Fares', 'report.pdf', 'report.pdf'];
// The first file is one of a server that a client on Windows named.
const sources = [null, 'file://nas/share/report.pdf', 'file:///papers/report.pdf'];

/** Serves the documents in pages of one, as a large corpus would. */
const client = {
  async documents({ offset }: { readonly offset: number }) {
    const index = offset / 1_000;
    const [id, title, source] = [ids[index], titles[index], sources[index]];
    return { documents: id === undefined ? [] : [{ id, title, source } as never], total: 3_000 };
  },
  async documentOf(source: string) {
    const isKnown = source === pathToFileURL(resolve('papers/a b.md')).href || source === 'https://site.example/x';
    return isKnown ? ({ id: ids[2] } as never) : undefined;
  },
};

describe('a document is found by', () => {
  it.each([
    ['its identifier', ids[1], ids[1]],
    ['the beginning of its identifier', 'B700', ids[2]],
    ['its title', 'Fares', ids[0]],
    ['its path', 'papers/a b.md', ids[2]],
    ['its address', 'https://site.example/x', ids[2]],
    ['the address of its file', pathToFileURL(resolve('papers/a b.md')).href, ids[2]],
  ])('%s', async (_, reference, id) => {
    expect(await documentIdOf(reference ?? '', client)).toBe(id);
  });

  it.each([
    [
      'report.pdf',
      /^"report.pdf" means 2 documents: a3.*02 \(file:\/\/nas\/share\/report.pdf\), b7.*03 \(\/papers\/report.pdf\)\. Give/,
    ],
    ['a300', /^"a300" means 2 documents/],
    ['b7', /^No document has "b7"/],
    ['fares', /^No document has "fares"/],
  ])('nothing else: %s', async (reference, message) => {
    await expect(documentIdOf(reference, client)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  });
});

describe('relative paths refer to the user’s working folder', () => {
  const root = process.cwd();
  const script = { INIT_CWD: '/', npm_package_name: 'citewell', npm_lifecycle_event: 'cli' };

  it.each([
    ['who calls a script of this package', ['ingest'], script, root, '/'],
    ['in the package itself', ['ingest'], { ...script, INIT_CWD: root }, root, undefined],
    ['who calls a script of another package', ['ingest'], { ...script, npm_package_name: 'other' }, root, undefined],
    ['in a program that a script of this package starts elsewhere', ['ingest'], script, '/', undefined],
    ['without npm', ['ingest'], {}, root, undefined],
    ['for an MCP server', ['mcp'], script, root, undefined],
    ['in a folder that is gone', ['ingest'], { ...script, INIT_CWD: '/nowhere' }, root, undefined],
  ])('%s', (_, args, env, cwd, expected) => {
    expect(userWorkingFolder(args, { env, cwd: () => cwd })).toBe(expected);
  });
});
