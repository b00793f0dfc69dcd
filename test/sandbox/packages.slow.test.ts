import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSandbox } from '../../scripts/open-sandbox.ts';
import { openPackages } from '../../src/sandbox/packages.ts';
import { findRuntime } from '../../src/sandbox/runtime.ts';
import { parseWheelName, wheelKind } from '../../src/sandbox/wheel-name.ts';
import { makeExtension } from './support/make-extension.ts';
import { makeWheel, makeZip } from './support/make-zip.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-packages-'));
});
afterEach(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();
const info = { abi_version: '2026_0', python: '3.14.2' };

it.each([
  ['tiny-1.0-py3-none-any.whl', 'archive'],
  ['tiny-1.0-2-py2.py3-none-any.whl', 'archive'],
  ['tiny-1.0-py2-none-any.whl', undefined],
  ['numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl', 'unpacked'],
  ['numpy-2.4.6-cp314-cp314-pyodide_2026_0_wasm32.whl', 'unpacked'],
  ['numpy-2.4.6-cp313-cp313-pyodide_2025_0_wasm32.whl', undefined],
  ['numpy-2.4.6-cp314-cp314-manylinux_2_17_x86_64.whl', undefined],
])('%s is used as %s', (file, kind) => {
  const wheel = parseWheelName(file);
  expect(wheel && wheelKind(wheel, info)).toBe(kind);
});

it.each(['readme.txt', 'tiny.whl', 'tiny-1.0.tar.gz'])('%s is no wheel', (file) => {
  expect(parseWheelName(file)).toBeUndefined();
});

describe('packages of an operator', () => {
  const cacheFolder = () => join(folder, 'cache');

  it('are imported from a folder of wheels, with the data in them', async () => {
    await writeFile(join(folder, 'tiny_one-1.0-py3-none-any.whl'), makeWheel('tiny_one'));
    await writeFile(join(folder, 'tiny_two-2.1-py3-none-any.whl'), makeWheel('tiny_two', '2.1'));
    const sandbox = await openSandbox({}, folder);
    try {
      const code =
        'import tiny_one, tiny_two\nfrom importlib.metadata import version\n(tiny_one.NAME, tiny_two.data(), version("tiny_two"))';
      const result = await sandbox.run({ code, inputs: {}, files: [] }, signal);
      expect(result.value?.repr, result.error?.traceback).toBe("('tiny_one', 'data of tiny_two', '2.1')");
      const other = await sandbox.run({ code: 'import numpy', inputs: {}, files: [] }, signal);
      expect(other.error?.message).toContain('standard library and tiny-one 1.0, tiny-two 2.1');
    } finally {
      await sandbox.close();
    }
  });

  it('make tables and figures of what pandas and matplotlib have, and may be larger than the isolate without them', async () => {
    const package_ = (name: string, files: Readonly<Record<string, string | Uint8Array>>) =>
      writeFile(join(folder, `${name}-1.0-py3-none-any.whl`), makeZip(files));
    await package_('pandas', { 'pandas/__init__.py': 'from .frame import DataFrame', 'pandas/frame.py': DATA_FRAME });
    await package_('matplotlib', { 'matplotlib/__init__.py': '', 'matplotlib/pyplot.py': PYPLOT });
    await package_('large', { 'large/__init__.py': 'SIZE = 1', 'large/data.bin': randomBytes(120_000_000) });
    const sandbox = await openSandbox({}, folder);
    const run = (code: string) => sandbox.run({ code, inputs: {}, files: [], session: 'a' }, signal);
    try {
      const table = await run('import pandas, large\npandas.DataFrame()');
      expect(table.value, table.error?.traceback).toMatchObject({ type: 'DataFrame', repr: 'a table of 60 rows' });
      const figures = await run('import matplotlib.pyplot as plt\nplt.figure()\nplt.figure()\nplt.BACKEND');
      expect(figures.value?.repr, figures.error?.traceback).toBe("'Agg'");
      expect(figures.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
        ['figure-1.png', 'png of 1'],
        ['figure-2.png', 'png of 2'],
      ]);
      expect((await run('1')).files).toEqual([]);
      expect((await run('plt.figure()\n1 / 0')).files.map(({ name }) => name)).toEqual(['figure-3.png']);
      const own = await run('plt.figure().savefig("out/mine.png")');
      expect(own.files.map(({ name }) => name)).toEqual(['mine.png']);
    } finally {
      await sandbox.close();
    }
  });

  it('may be compiled for Pyodide', async () => {
    const file = 'tinyext-1.0-cp314-cp314-pyodide_2026_0_wasm32.whl';
    await writeFile(
      join(folder, file),
      makeZip({ 'tinyext.cpython-314-wasm32-emscripten.so': makeExtension('tinyext') }),
    );
    const sandbox = await openSandbox({}, folder);
    try {
      const code = 'import tinyext\n(tinyext.__name__, tinyext.__file__)';
      const result = await sandbox.run({ code, inputs: {}, files: [] }, signal);
      expect(result.value?.repr, result.error?.traceback).toBe(
        "('tinyext', '/lib/python3.14/site-packages/tinyext.cpython-314-wasm32-emscripten.so')",
      );
    } finally {
      await sandbox.close();
    }
  });

  it('are reported when there is no usable wheel of them', async () => {
    const { runtime } = anyRuntime();
    await writeFile(join(folder, 'numpy-2.4.6-cp314-cp314-manylinux_2_17_x86_64.whl'), '');
    const reports: string[] = [];
    const options = {
      pyodide: runtime.pyodide,
      pyodideVersion: runtime.pyodideVersion,
      cacheFolder: cacheFolder(),
      report: (text: string) => reports.push(text),
    };
    await expect(openPackages(`${folder}#numpy`, options).files()).rejects.toThrow(/no usable wheel of numpy/);
    expect(reports).toEqual([expect.stringContaining('built for Pyodide 2026_0')]);
    await expect(openPackages(join(folder, 'nowhere'), options).files()).rejects.toThrow(/cannot be read/);
  });

  it('are loaded from a mirror only when their hash matches the lock file', async () => {
    const wheel = makeWheel('tiny');
    const pyodide = join(folder, 'pyodide');
    await writeLock(pyodide, wheel);
    let served = wheel;
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end(served);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const mirror = (names: string) => `http://127.0.0.1:${port}/full/${names}`;
    const files = (source: string) =>
      openPackages(source, { pyodide, pyodideVersion: '1', cacheFolder: cacheFolder() }).files();
    try {
      await expect(files(mirror(''))).rejects.toThrow(/name the packages to take/);
      await expect(files(mirror('#unheard-of'))).rejects.toThrow(/has no unheard-of. It has: needed, tiny/);
      served = Buffer.from('something else');
      await expect(files(mirror('#Tiny'))).rejects.toThrow(/not the file that Pyodide's lock file describes/);
      served = wheel;
      const [needed, tiny] = await files(mirror('#Tiny'));
      expect([needed?.title, tiny?.title]).toEqual(['needed 0.1', 'tiny 1.0']);
      expect(await readFile(tiny?.file ?? '')).toEqual(wheel);
      const before = requests;
      await files(mirror('#tiny'));
      expect(requests).toBe(before);
    } finally {
      server.close();
    }
  });
});

/** As much of pandas and matplotlib as the sandbox itself uses. */
const DATA_FRAME = `
class DataFrame:
    __module__ = 'pandas'
    shape = (1, 1)

    def to_string(self, *, max_rows, max_cols):
        return f'a table of {max_rows} rows'
`;
const PYPLOT = `
import os

BACKEND = os.environ['MPLBACKEND']
_open = {}


class Figure:
    def __init__(self, number):
        self.number = number

    def savefig(self, target, **_):
        data = f'png of {self.number}'.encode()
        target.write(data) if hasattr(target, 'write') else open(target, 'wb').write(data)


def figure(number=None):
    number = number or max(_open, default=0) + 1
    return _open.setdefault(number, Figure(number))


def get_fignums():
    return sorted(_open)


def close(which):
    _open.clear()
`;

function anyRuntime() {
  const search = findRuntime();
  if (!search.found) throw new Error(search.reason);
  return search;
}

async function writeLock(pyodide: string, wheel: Buffer): Promise<void> {
  await mkdir(pyodide);
  const sha256 = createHash('sha256').update(wheel).digest('hex');
  const entry = (name: string, version: string, depends: string[]) => ({
    name,
    version,
    depends,
    sha256,
    package_type: 'package',
    file_name: `${name}-${version}-py3-none-any.whl`,
  });
  const packages = { tiny: entry('tiny', '1.0', ['needed']), needed: entry('needed', '0.1', []) };
  await writeFile(join(pyodide, 'pyodide-lock.json'), JSON.stringify({ info, packages }));
}
