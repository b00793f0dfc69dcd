import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Found, findFiles } from '../../../src/ingest/folders/find-files.ts';
import { isSupported as isSupportedByContent } from '../../../src/ingest/folders/supported-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-find-'));
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await mkdir(join(folder, 'node_modules/x'), { recursive: true });
  await mkdir(join(folder, '.git'));
  for (const name of [
    'one.md',
    'a/two.txt',
    'a/b/three.md',
    'a/film.mov',
    '.hidden.md',
    'node_modules/x/r.md',
    '.git/c.md',
  ]) {
    await writeFile(join(folder, name), name);
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isSupported = (name: string) => /\.(md|txt)$/.test(name);

const byPath = (one: Found, other: Found) => (one.path < other.path ? -1 : 1);

async function find(argument: string, signal = new AbortController().signal): Promise<string[]> {
  const found: Found[] = await Array.fromAsync(findFiles(argument, { isSupported, signal }));
  const show = (each: Found) =>
    `${relative(folder, each.path).replaceAll('\\', '/')}${each.kind === 'skipped' ? ` skipped: ${each.reason}` : ''}`;
  return found.map(show).toSorted();
}

it('accepts any UTF-8 text, and detects the type of a file without an extension by its content', async () => {
  const content: Readonly<Record<string, string | Buffer>> = {
    'paper.tex': '\\section{Fähre}',
    'talk.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello',
    'setup.ps1': 'Write-Host "Hi"',
    'main.tf': 'resource "x" "y" {}',
    // A character is cut in two at the end of the bytes that are checked.
    'long.adoc': `a${'é'.repeat(40_000)}`,
    README: 'Text',
    report: '%PDF-1.4\n%\u0000',
    'model.bin': Buffer.from([0x80, 0xff, 0xfe, 0x81]),
    'data.sqlite': Buffer.from('SQLite format 3\0'),
    core: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]),
    'four.bin': Buffer.from([0, 1, 2, 0xff]),
    'controls.dat': Buffer.from('\u0001\u0002\u0003\u0004hello'),
  };
  const supported = await Promise.all(
    Object.entries(content).map(async ([name, bytes]) => {
      await writeFile(join(folder, name), bytes);
      return (await isSupportedByContent(join(folder, name))) ? name : undefined;
    }),
  );
  const binary = ['model.bin', 'data.sqlite', 'core', 'four.bin', 'controls.dat'];
  expect(supported.filter((name) => name !== undefined)).toEqual(
    Object.keys(content).filter((name) => !binary.includes(name)),
  );
});

describe('finding files', () => {
  it('walks a folder recursively, and lists what it skips', async () => {
    expect(await find(folder)).toEqual([
      '.git skipped: hidden',
      '.hidden.md skipped: hidden',
      'a/b/three.md',
      'a/film.mov skipped: unsupported',
      'a/two.txt',
      'node_modules skipped: dependencies',
      'one.md',
    ]);
  });

  it('skips empty files, unless they are named', async () => {
    await writeFile(join(folder, 'a/__init__.md'), '');
    expect(await find(join(folder, 'a'))).toContain('a/__init__.md skipped: empty');
    expect(await find(join(folder, 'a/__init__.md'))).toEqual(['a/__init__.md']);
  });

  it('accepts an explicitly named file of any name', async () => {
    expect(await find(join(folder, 'a/film.mov'))).toEqual(['a/film.mov']);
    expect(await find(join(folder, '.hidden.md'))).toEqual(['.hidden.md']);
  });

  it('understands globs', async () => {
    expect(await find(join(folder, '**/*.md'))).toEqual(['a/b/three.md', 'one.md']);
    expect(await find(join(folder, 'a/*'))).toEqual(['a/film.mov skipped: unsupported', 'a/two.txt']);
  });

  it('prefers a file of exactly that name to a glob', async () => {
    await writeFile(join(folder, 'x[1].md'), '');
    expect(await find(join(folder, 'x[1].md'))).toEqual(['x[1].md']);
  });

  it.skipIf(process.platform === 'win32')(
    'follows links to files but not to folders, so that there are no loops',
    async () => {
      await symlink(folder, join(folder, 'a/loop'));
      await symlink(join(folder, 'one.md'), join(folder, 'a/link.md'));
      await symlink(join(folder, 'gone'), join(folder, 'a/dead.md'));
      expect(await find(join(folder, 'a'))).toEqual([
        'a/b/three.md',
        'a/dead.md skipped: missing',
        'a/film.mov skipped: unsupported',
        'a/link.md',
        'a/loop skipped: linked',
        'a/two.txt',
      ]);
    },
  );

  // Other systems do not allow such names.
  it.runIf(process.platform === 'linux')(
    'names files and folders whose names are not UTF-8, with the reason',
    async () => {
      const named = (...bytes: number[]) => Buffer.concat([Buffer.from(`${folder}/a/b/`), Buffer.from(bytes)]);
      await writeFile(named(0x67, 0xfc, 0x6e, 0x2e, 0x6d, 0x64), 'Text');
      await mkdir(named(0xe4));
      await writeFile(join(folder, 'a/b/valid \ufffd.md'), 'Text');
      const found = await Array.fromAsync(findFiles(folder, { isSupported, signal: new AbortController().signal }));
      expect(found.filter(({ path }) => path.includes('\ufffd')).toSorted(byPath)).toMatchObject([
        {
          kind: 'unreadable',
          path: join(folder, 'a/b/g\ufffdn.md'),
          problem: expect.stringMatching(/not valid UTF-8; rename/),
        },
        { kind: 'file', path: join(folder, 'a/b/valid \ufffd.md') },
        {
          kind: 'unreadable',
          path: join(folder, 'a/b/\ufffd'),
          problem: expect.stringMatching(/not valid UTF-8; rename/),
        },
      ]);
      await expect(find(join(folder, 'a/b/g\ufffdn.md'))).rejects.toThrow(
        /cannot be read: its name is not valid UTF-8/,
      );
    },
  );

  it('reports a missing path, or a glob without matches', async () => {
    await expect(find(join(folder, 'nothing'))).rejects.toThrow(/There is no file or folder/);
    await expect(find(join(folder, '*.xyz'))).rejects.toThrow(/No file matches/);
  });

  it('skips the data folder, by whatever path it is reached', async () => {
    const options = { isSupported, dataFolder: join(folder, 'a'), signal: new AbortController().signal };
    const reasons = async (argument: string) =>
      (await Array.fromAsync(findFiles(argument, options))).flatMap((each) =>
        each.kind === 'skipped' && each.reason === 'own' ? [relative(folder, each.path)] : [],
      );
    expect(await reasons(folder)).toEqual(['a']);
    expect(await reasons(join(folder, 'a/b'))).toEqual(['a/b']);
    expect(await reasons(join(folder, '**/three.md'))).toEqual(['a/b/three.md']);
  });

  it('refuses a path that is neither a file nor a folder', async () => {
    await expect(find('/dev/null')).rejects.toThrow(/neither a file nor a folder/);
  });

  it('stops on abort', async () => {
    expect(await find(folder, AbortSignal.abort())).toEqual([]);
  });
});
