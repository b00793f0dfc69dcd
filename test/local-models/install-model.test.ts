import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { installModel } from '../../src/local-models/install-model.ts';
import { findModelFolder, installedModels, readModelFolder } from '../../src/local-models/model-folder.ts';
import { failureOf } from '../models/support.ts';
import { type FakeHubOptions, startFakeHub } from '../support/fake-hub.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeTinyModel, writeTinyReranker } from '../support/tiny-onnx.ts';

const WEIGHTS = 'onnx/model_quantized.onnx';
const files = {
  'config.json': Buffer.from('{"architectures":["BertModel"],"max_position_embeddings":512}'),
  'tokenizer.json': Buffer.from('{"version":"1.0"}'),
  'tokenizer_config.json': Buffer.from('{"model_max_length":256}'),
  'README.md': Buffer.from('# not needed'),
  'onnx/model.onnx': Buffer.alloc(900_000, 1),
  [WEIGHTS]: Buffer.alloc(300_000, 2),
};

const startHub = (options: Partial<FakeHubOptions> = {}) =>
  startFakeHub({ repository: 'somebody/tiny', files, large: [WEIGHTS, 'onnx/model.onnx'], ...options });

async function installer(hub: string) {
  const modelsFolder = await temporaryFolder();
  const progress: { done: number; total: number }[] = [];
  const install = (name = 'somebody/tiny', more: { from?: string; signal?: AbortSignal } = {}) =>
    installModel({
      name,
      modelsFolder,
      hub,
      signal: new AbortController().signal,
      onProgress: ({ done, total }) => progress.push({ done, total }),
      ...more,
    });
  return { modelsFolder, progress, install };
}

it('downloads the int8 weights and the description of a model, and nothing else', async () => {
  const hub = await startHub();
  const { install, modelsFolder, progress } = await installer(hub.url);
  const model = await install();
  expect(model).toMatchObject({ name: 'somebody/tiny', kind: 'embedding', revision: hub.revision });
  expect(hub.requests.map(({ path }) => path).sort()).toEqual(
    ['config.json', WEIGHTS, 'tokenizer.json', 'tokenizer_config.json'].sort(),
  );
  expect(await readFile(join(model.path, WEIGHTS))).toEqual(files[WEIGHTS]);
  expect(await readModelFolder(findModelFolder('somebody/tiny', modelsFolder))).toMatchObject({ maxTokens: 256 });
  expect(await installedModels(modelsFolder)).toMatchObject([{ name: 'somebody/tiny' }]);
  expect(progress.at(-1)).toEqual({ done: model.sizeInBytes, total: model.sizeInBytes });
});

it('continues a download that broke off, and fetches nothing twice', async () => {
  // Bytes that the client has not taken when the connection breaks are lost.
  const arrived = () => vi.waitUntil(() => (progress.at(-1)?.done ?? 0) > 50_000, PATIENT);
  const hub = await startHub({ breaks: { path: WEIGHTS, after: 100_000, arrived } });
  const { install, modelsFolder, progress } = await installer(hub.url);
  expect(await failureOf(install())).toMatchObject({
    code: 'provider_failed',
    message: expect.stringContaining('Run the command again to continue'),
  });
  expect(await installedModels(modelsFolder)).toEqual([]);
  expect(() => findModelFolder('somebody/tiny', modelsFolder)).toThrow('citewell models install somebody/tiny');
  expect(() => findModelFolder('bge-smal', modelsFolder)).toThrow(
    /not installed\. No model of this name is known.*models list/,
  );
  const model = await install();
  expect(await readFile(join(model.path, WEIGHTS))).toEqual(files[WEIGHTS]);
  const ranges = hub.requests.filter(({ path }) => path === WEIGHTS).map(({ range }) => range);
  expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  expect(hub.requests.filter(({ path }) => path === 'config.json')).toHaveLength(1);
});

it('starts over when the server ignores the range', async () => {
  const hub = await startHub({ breaks: { path: WEIGHTS, after: 100_000 }, ignoresRanges: true });
  const { install } = await installer(hub.url);
  await failureOf(install());
  expect(await readFile(join((await install()).path, WEIGHTS))).toEqual(files[WEIGHTS]);
});

it.each([WEIGHTS, 'tokenizer.json'])('refuses %s with a wrong checksum and keeps nothing of it', async (path) => {
  const hub = await startHub({ corrupts: path });
  const { install, modelsFolder } = await installer(hub.url);
  expect(await failureOf(install())).toMatchObject({ message: expect.stringContaining('wrong checksum') });
  const left = await readdir(modelsFolder, { recursive: true });
  expect(left.filter((name) => name.includes(path.split('/').at(-1) ?? ''))).toEqual([]);
});

it('leaves an installed model in place when its replacement fails', async () => {
  const good = await startHub();
  const { install, modelsFolder } = await installer(good.url);
  const { path } = await install();
  const bad = await startHub({ corrupts: WEIGHTS, files: { ...files, [WEIGHTS]: Buffer.alloc(10, 7) } });
  await failureOf(
    installModel({
      name: 'somebody/tiny',
      modelsFolder,
      hub: bad.url,
      signal: new AbortController().signal,
      onProgress: () => {},
    }),
  );
  expect(await readFile(join(path, WEIGHTS))).toEqual(files[WEIGHTS]);
});

it('names unknown models, unreachable hubs, hubs that are none, and repositories without ONNX', async () => {
  const hub = await startHub({ files: { 'config.json': Buffer.from('{}'), 'tokenizer.json': Buffer.from('{}') } });
  const { install } = await installer(hub.url);
  expect(await failureOf(install('nobody/nothing'))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('no public model "nobody/nothing"'),
  });
  expect(await failureOf(install('unheard-of'))).toMatchObject({
    message: expect.stringContaining('no model "unheard-of" in the catalog'),
  });
  expect(await failureOf(install('../../etc'))).toMatchObject({ code: 'invalid_request' });
  expect(await failureOf(install())).toMatchObject({ message: expect.stringContaining('has no ONNX weights') });
  const unreachable = await installer('http://127.0.0.1:1');
  expect(await failureOf(unreachable.install())).toMatchObject({
    message: expect.stringMatching(/cannot be reached\. Set CITEWELL_MODEL_HUB .* --from/),
  });
});

it('stops when the caller does', async () => {
  const hub = await startHub();
  const { install } = await installer(hub.url);
  expect(await failureOf(install('somebody/tiny', { signal: AbortSignal.abort() }))).toMatchObject({
    code: 'cancelled',
  });
});

it('copies a model from a folder, and tells a reranker by its architecture', async () => {
  const from = await temporaryFolder();
  await writeTinyModel(join(from, 'words'));
  await writeTinyReranker(join(from, 'judge'));
  await mkdir(join(from, 'empty'));
  const { install, modelsFolder } = await installer('http://127.0.0.1:1');
  expect(await install('words', { from: join(from, 'words') })).toMatchObject({ kind: 'embedding' });
  expect(await install('judge', { from: join(from, 'judge') })).toMatchObject({ kind: 'reranker' });
  // The copies do not depend on the folder.
  await rm(join(from, 'words'), { recursive: true });
  expect(existsSync(join(findModelFolder('words', modelsFolder), 'onnx', 'model.onnx'))).toBe(true);
  expect(await failureOf(install('empty', { from: join(from, 'empty') }))).toMatchObject({
    message: expect.stringContaining('config.json is missing'),
  });
  await writeFile(join(from, 'judge', 'config.json'), 'not JSON');
  expect(await failureOf(install('judge', { from: join(from, 'judge') }))).toMatchObject({ code: 'not_configured' });
  expect((await installedModels(modelsFolder)).map(({ name }) => name)).toEqual(['judge', 'words']);
});
