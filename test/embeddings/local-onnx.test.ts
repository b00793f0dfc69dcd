import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localOnnx } from '../../src/embeddings/local-onnx.ts';
import { failureOf } from '../models/support.ts';
import { hasRuntime, modelsFolder } from '../support/models-folder.ts';
import { writeTinyModel } from '../support/tiny-onnx.ts';

async function openTiny(name = 'plain') {
  const folder = await modelsFolder();
  const path = join(folder, 'elsewhere', name);
  await writeTinyModel(path);
  return { path, open: () => localOnnx({ model: path, modelsFolder: folder }), folder };
}

const dot = (left: Float32Array | undefined, right: Float32Array | undefined): number =>
  Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0);

describe('a local embedding model', () => {
  it('is named after its folder and loads nothing before its first use', async () => {
    const model = localOnnx({ model: '/nowhere/plain', modelsFolder: '/nowhere' });
    expect(model.name).toBe('local//nowhere/plain');
    expect(model.isLexical).toBe(false);
  });

  it('says that a folder contains no model, and how a named one is installed', async () => {
    const folder = await modelsFolder();
    const failure = (model: string) => failureOf(localOnnx({ model, modelsFolder: folder }).space());
    expect(await failure(join(folder, 'nothing'))).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('config.json is missing'),
    });
    expect(await failure('bge-small-en-v1.5')).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('citewell models install bge-small-en-v1.5'),
    });
  });
});

describe.skipIf(hasRuntime)('a local embedding model without ONNX Runtime', () => {
  it('says what to run', async () => {
    const { open } = await openTiny();
    expect(await failureOf(open().embed(['king'], 'query'))).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('Run: citewell models install'),
    });
  });
});

describe.runIf(hasRuntime)('a local embedding model with ONNX Runtime', () => {
  it('returns one unit vector per text, the same alone and with others', async () => {
    const model = (await openTiny()).open();
    const texts = ['king', 'queen queen queen', 'apple pear', 'KING, nothing known'];
    const together = await model.embed(texts, 'passage');
    for (const vector of together) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    for (const [index, text] of texts.entries()) {
      expect(await model.embed([text], 'passage')).toEqual([together[index]]);
    }
    expect(dot(together[0], together[1])).toBeGreaterThan(dot(together[0], together[2]));
  });

  it('truncates texts that are longer than the model', async () => {
    const model = (await openTiny()).open();
    const [long] = await model.embed([`${'king '.repeat(12)}${'apple '.repeat(40)}`], 'passage');
    const [short] = await model.embed(['king '.repeat(12)], 'passage');
    expect(dot(long, short)).toBeCloseTo(1, 5);
  });

  it('puts the prefixes of its card before questions and passages', async () => {
    const model = (await openTiny('e5-tiny')).open();
    const [asked] = await model.embed(['king'], 'query');
    const [stored] = await model.embed(['king'], 'passage');
    expect(dot(asked, stored)).toBeLessThan(0.9);
  });

  it('includes a version in its space that changes with its files', async () => {
    const { open, path } = await openTiny();
    const before = await open().space();
    expect(before).toEqual({
      embedder: open().name,
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
      dimensions: 4,
    });
    expect(await open().space()).toEqual(before);
    await writeFile(join(path, 'tokenizer_config.json'), JSON.stringify({ tokenizer_class: 'BertTokenizer' }));
    expect((await open().space()).version).not.toBe(before.version);
  });

  it('says which model could not be loaded, and loads it once it is repaired', async () => {
    const { open, path } = await openTiny();
    await writeFile(join(path, 'onnx', 'model.onnx'), 'not a network');
    const model = open();
    expect(await failureOf(model.embed(['king'], 'query'))).toMatchObject({
      code: 'provider_failed',
      message: expect.stringContaining(`The local model "${path}" failed`),
    });
    await writeTinyModel(path);
    expect(await model.embed(['king'], 'query')).toHaveLength(1);
  });

  it('stops when the caller aborts, and serves others', async () => {
    const model = (await openTiny()).open();
    expect(await failureOf(model.embed(['king'], 'query', AbortSignal.abort()))).toMatchObject({ code: 'cancelled' });
    const stop = new AbortController();
    const long = failureOf(model.embed(Array<string>(5_000).fill('king'), 'passage', stop.signal));
    const other = model.embed(['queen'], 'query');
    stop.abort();
    expect(await long).toMatchObject({ code: 'cancelled' });
    expect(await other).toHaveLength(1);
  });
});
