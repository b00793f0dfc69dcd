import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInference } from '../../src/local-models/inference.ts';
import { localReranker } from '../../src/retrieval/rerankers/local-reranker.ts';
import { failureOf } from '../models/support.ts';
import { hasRuntime, modelsFolder } from '../support/models-folder.ts';
import { writeTinyModel, writeTinyReranker } from '../support/tiny-onnx.ts';

it('a reranker that is not installed says how to install it', async () => {
  const reranker = localReranker({ model: 'ms-marco-minilm-l6-v2', modelsFolder: await modelsFolder() });
  const signal = new AbortController().signal;
  expect(await failureOf(reranker.rank({ query: 'king', texts: ['a', 'b'] }, signal))).toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('citewell models install ms-marco-minilm-l6-v2'),
  });
});

describe.runIf(hasRuntime)('with ONNX Runtime', () => {
  it('a reranker scores each passage from 0 to 1', async () => {
    const folder = await modelsFolder();
    await writeTinyReranker(join(folder, 'judge'));
    const reranker = localReranker({ model: join(folder, 'judge'), modelsFolder: folder });
    const texts = ['apple pear', 'the king', `${'pear '.repeat(500)}king`];
    const scores = await reranker.rank({ query: 'queen', texts }, new AbortController().signal);
    // The last one is truncated before its "king".
    expect(scores.map(({ index, score }) => [index, Number(score.toFixed(3))])).toEqual([
      [0, 0.018],
      [1, 0.982],
      [2, 0.018],
    ]);
  });

  it('an idle thread ends and is started again', async () => {
    const folder = await modelsFolder();
    await writeTinyModel(join(folder, 'plain'));
    const inference = openInference({ model: join(folder, 'plain'), modelsFolder: folder, idleMs: 1 });
    const [first] = await inference.embed(['king'], 'mean');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await inference.embed(['king'], 'mean')).toEqual([first]);
  });
});
