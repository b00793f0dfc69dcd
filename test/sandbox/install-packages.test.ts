import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type AddOptions,
  addPackages,
  installedFiles,
  installedPackages,
  type PackageProgress,
  packagesFolder,
  removePackages,
} from '../../src/sandbox/install-packages.ts';
import { openPackages } from '../../src/sandbox/packages.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const wheels: Readonly<Record<string, Buffer>> = {
  'numpy-2.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl': Buffer.alloc(5_000, 'n'),
  'pandas-3.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl': Buffer.alloc(3_000, 'p'),
  'python_dateutil-2.9-py2.py3-none-any.whl': Buffer.alloc(100, 'd'),
};
const depends: Readonly<Record<string, readonly string[]>> = { pandas: ['numpy', 'python_dateutil'] };

/** A release of Pyodide on a local server, and options to install from it. */
async function openRelease(more: Partial<AddOptions> = {}) {
  const root = await temporaryFolder();
  const [pyodide, folder] = [join(root, 'pyodide'), join(root, 'packages')];
  await mkdir(pyodide);
  const packages = Object.entries(wheels).map(([file_name, bytes]) => {
    const [given = '', version] = file_name.split('-');
    const name = given.replace('_', '-');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return [name, { name, version, file_name, sha256, depends: depends[name] ?? [], package_type: 'package' }];
  });
  const info = { abi_version: '2026_0', python: '3.14.2' };
  await writeFile(join(pyodide, 'pyodide-lock.json'), JSON.stringify({ info, packages: Object.fromEntries(packages) }));
  const requests: string[] = [];
  const served: Record<string, Buffer> = { ...wheels };
  /** Answered when these are resolved. */
  const held: Record<string, Promise<void>> = {};
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice('/full/'.length);
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    requests.push(start === 0 ? name : `${name} from ${start}`);
    const bytes = served[name];
    void Promise.resolve(held[name]).then(() => {
      if (bytes === undefined) response.writeHead(404).end();
      else response.writeHead(start === 0 ? 200 : 206).end(bytes.subarray(start));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/full`;
  const progress: PackageProgress[] = [];
  const options = {
    pyodide,
    pyodideVersion: '314.0.7',
    folder,
    names: [],
    address,
    signal: new AbortController().signal,
    onProgress: (step: PackageProgress) => void progress.push(step),
    ...more,
  } satisfies AddOptions;
  const add = (names: readonly string[], extra: Partial<AddOptions> = {}) =>
    addPackages({ ...options, ...extra, names });
  return { root, folder, options, requests, served, held, progress, add };
}

const namesOf = ({ packages }: { packages: readonly { name: string; requested: boolean }[] }) =>
  packages.map(({ name, requested }) => (requested ? `${name}!` : name));

it('installs packages with what they need, once, and removes what nothing needs any more', async () => {
  const { options, requests, progress, add, folder } = await openRelease();
  expect(namesOf(await add(['Pandas']))).toEqual(['numpy', 'python-dateutil', 'pandas!']);
  expect(requests.map((file) => file.split('-')[0])).toEqual(['numpy', 'python_dateutil', 'pandas']);
  expect(progress.at(-1)).toMatchObject({ number: 3, count: 3, bytes: 3_000 });
  const files = await installedFiles(options);
  expect(files.map(({ title, kind, bytes }) => [title, kind, bytes])).toEqual([
    ['numpy 2.0', 'unpacked', 5_000],
    ['python-dateutil 2.9', 'archive', 100],
    ['pandas 3.0', 'unpacked', 3_000],
  ]);
  await add(['numpy']);
  expect(requests).toHaveLength(3);
  await expect(removePackages(['python-dateutil'], options)).rejects.toThrow(/came with another package/);
  expect(namesOf(await removePackages(['pandas'], options))).toEqual(['numpy!']);
  expect((await readdir(folder)).sort()).toEqual(['installed.json', Object.keys(wheels)[0]]);
  await expect(removePackages(['scipy'], options)).rejects.toThrow(/Cannot remove scipy: not installed/);
});

it('are noticed by a running service when they change', async () => {
  const { root, options, add } = await openRelease();
  const folder = packagesFolder(root);
  const packages = openPackages(undefined, { ...options, cacheFolder: root });
  expect(await packages.files()).toEqual([]);
  await add(['numpy'], { folder });
  expect((await packages.files()).map(({ title }) => title)).toEqual(['numpy 2.0']);
  await removePackages(['numpy'], { ...options, folder });
  expect(await packages.files()).toEqual([]);
});

it('continues an interrupted download, and keeps nothing with a wrong checksum', async () => {
  const { add, folder, requests, served, options } = await openRelease();
  const [name = '', bytes = Buffer.alloc(0)] = Object.entries(wheels)[0] ?? [];
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await mkdir(folder);
  await writeFile(join(folder, `${name}.${sha256.slice(0, 12)}.partial`), bytes.subarray(0, 2_000));
  await add(['numpy']);
  expect(requests).toEqual([`${name} from 2000`]);
  expect(await readFile(join(folder, name))).toEqual(bytes);

  const other = Object.keys(wheels)[1] ?? '';
  served[other] = Buffer.from('something else');
  await expect(add(['pandas'])).rejects.toThrow(/wrong checksum.*not the file that Pyodide's lock file describes/);
  expect(namesOf(await installedPackages(options))).toEqual(['numpy!']);
  expect(await readdir(folder)).not.toContain(other);
});

it('takes files from a folder, with the checksums of the lock file, and other wheels as they are', async () => {
  const { root, add, requests } = await openRelease();
  const from = join(root, 'given');
  await mkdir(from);
  await expect(add(['pandas'], { from })).rejects.toThrow(/numpy is missing: put numpy-2\.0-cp314.* into /);
  for (const [name, bytes] of Object.entries(wheels)) await writeFile(join(from, name), bytes);
  await writeFile(join(from, 'openpyxl-3.1-py2.py3-none-any.whl'), 'x');
  expect(namesOf(await add(['pandas', 'openpyxl'], { from }))).toEqual([
    'numpy',
    'python-dateutil',
    'pandas!',
    'openpyxl!',
  ]);
  expect(namesOf(await add(['numpy'], { from }))).toContain('openpyxl!');
  await writeFile(join(from, 'native-1.0-cp314-cp314-manylinux_2_17_x86_64.whl'), 'x');
  await expect(add(['native'], { from })).rejects.toThrow(/no usable wheel of native .* for Pyodide 2026_0/);
  await expect(add(['openpyxl'])).rejects.toThrow(/Pyodide's distribution has no "openpyxl"/);
  expect(requests).toEqual([]);
});

it('does not use packages of another version of Pyodide, nor damaged ones', async () => {
  const { add, options, folder } = await openRelease();
  await add(['numpy']);
  const reports: string[] = [];
  const newer = { ...options, pyodideVersion: '315.0.0' };
  expect(await installedFiles(newer, (report) => reports.push(report))).toEqual([]);
  expect(reports).toEqual([expect.stringContaining('citewell python add numpy')]);
  await writeFile(join(folder, Object.keys(wheels)[0] ?? ''), 'damaged');
  await expect(installedFiles(options)).rejects.toThrow(/missing or damaged. Run: citewell python add numpy/);
  await add(['numpy']);
  expect(await installedFiles(options)).toHaveLength(1);
  await writeFile(join(folder, 'installed.json'), '{');
  await expect(installedPackages(options)).rejects.toThrow(/installed\.json is damaged/);
});

it('keeps what two commands install at the same time, and removes files left behind long ago', async () => {
  const { add, options, folder, requests, held } = await openRelease();
  await mkdir(folder);
  const old = join(folder, 'old-1.0-py3-none-any.whl');
  await writeFile(old, 'x');
  await utimes(old, 1, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  held[Object.keys(wheels)[0] ?? ''] = promise;
  const pandas = add(['pandas']);
  await vi.waitFor(() => expect(requests).toHaveLength(1), PATIENT);
  await add(['python-dateutil']);
  resolve();
  await pandas;
  expect(namesOf(await installedPackages(options)).toSorted()).toEqual(['numpy', 'pandas!', 'python-dateutil!']);
  expect(await installedFiles(options)).toHaveLength(3);
  expect(await readdir(folder)).toHaveLength(4);
});

it('takes the newest wheel of a folder, also where its version has an epoch', async () => {
  const { root, add, options } = await openRelease();
  const wheelNames = ['openpyxl-3.9-py3-none-any.whl', 'openpyxl-3.10-py3-none-any.whl', 'pytz-1!2.0-py3-none-any.whl'];
  for (const name of wheelNames) await writeFile(join(root, name), name);
  await add(['openpyxl', 'pytz'], { from: root });
  expect((await installedFiles(options)).map(({ name }) => name)).toEqual(wheelNames.slice(1));
});

it('says what to do when names or files are missing', async () => {
  const { add, options, folder } = await openRelease();
  await expect(add(['constructor'])).rejects.toThrow(/distribution has no "constructor"/);
  await add(['numpy', 'python-dateutil']);
  await rm(join(folder, Object.keys(wheels)[0] ?? ''));
  const removing = removePackages(['python-dateutil'], options);
  await expect(removing).rejects.toThrow(/numpy-2\.0\S* is missing\. Run: citewell python add numpy/);
});

it('leaves packages of another version of Pyodide marked as such when one is removed', async () => {
  const { add, options } = await openRelease();
  await add(['numpy', 'python-dateutil']);
  const newer = { ...options, pyodideVersion: '315.0.0' };
  expect((await removePackages(['numpy'], newer)).pyodide).toBe('314.0.7');
});
