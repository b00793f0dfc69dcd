import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localOnnx } from '../../src/embeddings/local-onnx.ts';
import { failureOf } from '../models/support.ts';
import { writeTinyModel } from '../support/tiny-onnx.ts';

// The package is optional and large (474 MB with its runtimes), so it is usually absent. The test covers both cases:
// with it the model runs, without it the error says what to install.
const optional: string = '@huggingface/transformers';
const isInstalled = await import(optional).then(
  () => true,
  () => false,
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-onnx-'));
  await writeTinyModel(join(folder, 'e5-tiny'));
  await writeTinyModel(join(folder, 'plain'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (name: string) => localOnnx({ model: join(folder, name), cacheDir: join(folder, 'cache') });
const dot = (left: Float32Array | undefined, right: Float32Array | undefined): number =>
  Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0);

describe('a local embedding model', () => {
  it('is named after its folder and loads nothing before its first use', () => {
    expect(open('plain').name).toBe(`local/${join(folder, 'plain')}`);
    expect(open('plain').isLexical).toBe(false);
  });

  it('says that a folder holds no model', async () => {
    expect(await failureOf(open('nothing').embed(['x'], 'query'))).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('config.json is missing'),
    });
  });
});

if (isInstalled) describe('a local embedding model with its package', withPackage);
else describe('a local embedding model without its package', withoutPackage);

function withoutPackage(): void {
  it('says what to install', async () => {
    const failure = await failureOf(open('plain').embed(['king'], 'query'));
    expect(failure).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('Run: npm install @huggingface/transformers'),
    });
    expect(await failureOf(open('plain').space())).toMatchObject({ code: 'not_configured' });
  });
}

function withPackage(): void {
  it('returns one unit vector per text, the same alone and in a batch', async () => {
    const model = open('plain');
    const texts = ['king', 'queen queen queen', 'apple pear', 'KING, nothing known'];
    const together = await model.embed(texts, 'passage');
    for (const vector of together) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    for (const [index, text] of texts.entries()) {
      const [alone] = await model.embed([text], 'passage');
      expect(dot(alone, together[index])).toBeCloseTo(1, 5);
    }
    expect(dot(together[0], together[1])).toBeGreaterThan(dot(together[0], together[2]));
  });

  it('cuts texts that are longer than the model', async () => {
    const model = open('plain');
    const [long] = await model.embed([`${'king '.repeat(12)}${'apple '.repeat(40)}`], 'passage');
    const [short] = await model.embed(['king '.repeat(12)], 'passage');
    expect(dot(long, short)).toBeCloseTo(1, 5);
  });

  it('puts the prefixes of its card before questions and passages', async () => {
    const model = open('e5-tiny');
    const [asked] = await model.embed(['king'], 'query');
    const [stored] = await model.embed(['king'], 'passage');
    expect(dot(asked, stored)).toBeLessThan(0.9);
  });

  it('includes a version in its space that changes with its files', async () => {
    const name = 'changing';
    await writeTinyModel(join(folder, name));
    const before = await open(name).space();
    expect(before).toEqual({
      embedder: open(name).name,
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
      dimensions: 4,
    });
    expect(await open(name).space()).toEqual(before);
    await writeFile(join(folder, name, 'tokenizer_config.json'), JSON.stringify({ tokenizer_class: 'BertTokenizer' }));
    expect((await open(name).space()).version).not.toBe(before.version);
  });

  it('says which model could not be loaded', async () => {
    const name = 'broken';
    await writeTinyModel(join(folder, name));
    await writeFile(join(folder, name, 'onnx', 'model.onnx'), 'not a network');
    expect(await failureOf(open(name).embed(['x'], 'query'))).toMatchObject({
      code: 'provider_failed',
      message: expect.stringContaining('could not be loaded from'),
    });
  });

  it('stops between batches when the caller aborts', async () => {
    const failure = await failureOf(open('plain').embed(['king'], 'query', AbortSignal.abort()));
    expect(failure).toMatchObject({ code: 'cancelled' });
  });
}
