import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEmbeddingModel } from '../../../src/embeddings/registry.ts';
import { installModel } from '../../../src/local-models/install-model.ts';
import { findModelFolder, needsRuntime } from '../../../src/local-models/model-folder.ts';
import { startFakeHub } from '../../support/fake-hub.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { embeddings, ROWS, type TinyTensors, writeTinyTokenVectors } from '../../support/tiny-token-vectors.ts';

async function openModel(tensors?: TinyTensors) {
  const folder = join(await temporaryFolder(), 'tiny');
  await writeTinyTokenVectors(folder, tensors);
  return { folder, model: createEmbeddingModel(`local/${folder}`, { modelsFolder: '/nowhere' }) };
}

const unit = (vector: readonly number[]) => vector.map((value) => value / Math.hypot(...vector));
const rowOf = (token: number) => ROWS[token] ?? [];

async function expectVector(tensors: TinyTensors, text: string, wanted: readonly number[]): Promise<void> {
  const { model } = await openModel(tensors);
  const [vector = new Float32Array()] = await model.embed([text], 'query');
  for (const [at, value] of unit(wanted).entries()) expect(vector[at]).toBeCloseTo(value, 2);
  expect(vector).toHaveLength(wanted.length);
}

describe('an installed model of token vectors', () => {
  it('is taken from a hub without the ONNX file beside it, and embeds without ONNX Runtime', async () => {
    const { folder } = await openModel();
    const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
    const files = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])),
    );
    const hub = await startFakeHub({
      repository: 'somebody/tiny',
      files: { ...files, 'onnx/model.onnx': Buffer.alloc(1_000, 1) },
      large: ['model.safetensors', 'onnx/model.onnx'],
    });
    const modelsFolder = await temporaryFolder();
    const options = { modelsFolder, signal: new AbortController().signal, onProgress: () => {} };
    const installed = await installModel({ name: 'somebody/tiny', hub: hub.url, ...options });
    expect(installed.files.map(({ path }) => path).sort()).toEqual(names.toSorted());
    expect(hub.requests.filter(({ path }) => path === 'config.json')).toHaveLength(1);
    expect(needsRuntime(installed)).toBe(false);
    const model = createEmbeddingModel('local/somebody/tiny', { modelsFolder });
    expect(model).toMatchObject({ name: 'local/somebody/tiny', isLearned: true });
    expect(await model.space()).toMatchObject({ embedder: 'local/somebody/tiny', dimensions: 3 });
    const [king, queen, pear] = await model.embed(['The king', 'queen!', 'A pear.'], 'passage');
    const near = (one: Float32Array | undefined) => one?.reduce((sum, value, at) => sum + value * (king?.[at] ?? 0), 0);
    expect(near(queen)).toBeGreaterThan(0.5 + (near(pear) ?? 1));
  });

  it('has another version when its vectors change', async () => {
    const [one, other] = await Promise.all([openModel(), openModel({ embeddings: embeddings('F16') })]);
    expect((await one.model.space()).version).not.toBe((await other.model.space()).version);
  });

  it('keeps the version of the vectors it has read when the files are exchanged', async () => {
    const { folder, model } = await openModel();
    const space = await model.space();
    const vectors = await model.embed(['king'], 'query');
    await writeTinyTokenVectors(folder, { embeddings: embeddings('F64', ROWS.toReversed()) });
    expect(await model.space()).toEqual(space);
    expect(await model.embed(['king'], 'query')).toEqual(vectors);
  });

  it('reads a mapping of more tokens than a call can have arguments', async () => {
    const values = Array.from({ length: 600_000 }, (_, token) => Math.min(token, 5));
    await expectVector({ embeddings: embeddings(), mapping: { kind: 'I64', shape: [600_000], values } }, 'king', [
      ...rowOf(2),
    ]);
  });

  it('is not run by ONNX Runtime when it was installed after the start, and says so', async () => {
    const folder = join(await temporaryFolder(), 'tiny');
    const model = createEmbeddingModel(`local/${folder}`, { modelsFolder: '/nowhere' });
    await writeTinyTokenVectors(folder);
    await expect(model.space()).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('Restart Citewell'),
    });
  });

  it('is refused by name when its description is gone', async () => {
    const { folder } = await openModel();
    const modelsFolder = await temporaryFolder();
    const options = { modelsFolder, signal: new AbortController().signal, onProgress: () => {} };
    await installModel({ name: 'tiny', hub: 'http://127.0.0.1:9', from: folder, ...options });
    await rm(join(modelsFolder, 'tiny', 'config.json'));
    const model = createEmbeddingModel('local/tiny', { modelsFolder });
    await expect(model.space()).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('config.json is missing'),
    });
  });

  it.each(['F64', 'F32', 'F16'] as const)('sums the vectors of the words, stored as %s', async (kind) => {
    const sum = rowOf(2).map((value, at) => 2 * value + (rowOf(4)[at] ?? 0));
    await expectVector({ embeddings: embeddings(kind) }, 'king apple unheard King', sum);
  });

  it('shares rows by the mapping and multiplies by the weights, as in a model with a smaller vocabulary', async () => {
    const tensors: TinyTensors = {
      embeddings: embeddings('I8', [
        [100, 0, 3],
        [0, 50, 7],
      ]),
      mapping: { kind: 'I64', shape: [6], values: [0, 0, 0, 0, 1, 1] },
      weights: { kind: 'F64', shape: [6], values: [1, 1, 0.5, 1, 2, 1] },
    };
    await expectVector(tensors, 'king apple', [50, 100, 15.5]);
    await expectVector(tensors, 'queen pear', [100, 50, 10]);
  });

  it('gives a text without a known word a vector, too', async () => {
    const { model } = await openModel();
    const [vector] = await model.embed(['什么'], 'passage');
    expect([...(vector ?? [])]).toEqual([1, 0, 0]);
  });
});

describe('a damaged model of token vectors', () => {
  it.each<[string, TinyTensors]>([
    ['has no "embeddings"', { other: embeddings() }],
    ['numbers of an unknown kind, BF16', { embeddings: embeddings('BF16') }],
    ['has an unexpected size', { embeddings: { ...embeddings(), shape: [2, 2] } }],
    ['names a row that is not there', { embeddings: embeddings(), mapping: { kind: 'I64', shape: [1], values: [6] } }],
    [
      '"weights" has an unexpected size',
      { embeddings: embeddings(), weights: { kind: 'F64', shape: [1], values: [1] } },
    ],
    [
      '"weights" has a negative number',
      { embeddings: embeddings(), weights: { kind: 'F64', shape: [6], values: [1, 1, -1, 1, 1, 1] } },
    ],
    ['empty or not finite', { embeddings: embeddings('F32', [[0, 0]]) }],
  ])('is refused: %s', async (reason, tensors) => {
    const { model } = await openModel(tensors);
    await expect(model.space()).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining(reason),
    });
  });

  it('is refused when a file is cut off, or missing', async () => {
    const { folder, model } = await openModel();
    const weights = join(folder, 'model.safetensors');
    const whole = await readFile(weights);
    for (const [length, reason] of [
      [whole.length - 1, 'it is cut off'],
      [20, 'its header is cut off'],
      [3, 'cut off'],
    ] as const) {
      await writeFile(weights, whole.subarray(0, length));
      await expect(model.space()).rejects.toMatchObject({ message: expect.stringContaining(reason) });
    }
    await writeFile(weights, whole);
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    await expect(model.space()).rejects.toMatchObject({ message: expect.stringContaining('not a tokenizer') });
    await rm(weights);
    await expect(model.space()).rejects.toMatchObject({
      message: expect.stringContaining('none of model.safetensors'),
    });
    expect(findModelFolder(folder, '/nowhere')).toBe(folder);
  });
});
