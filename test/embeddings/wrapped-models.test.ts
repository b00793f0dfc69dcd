import { expect, it } from 'vitest';
import { replaceableEmbedder } from '../../src/embeddings/corpus/replaceable-embedder.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';

const traits: Required<Omit<EmbeddingModel, 'space' | 'embed' | 'preload'>> = {
  name: 'test/one',
  isLexical: true,
  isLearned: true,
  isSmall: true,
  isProvisional: true,
  fullTextShare: 0.7,
};
const model: EmbeddingModel = {
  ...traits,
  space: async () => ({ embedder: 'test/one', version: '1', dimensions: 1 }),
  embed: async (texts) => texts.map(() => Float32Array.of(1)),
};

it('a model that can be replaced has all traits of the model in use', () => {
  expect(replaceableEmbedder(model).embeddings).toMatchObject(traits);
});

it('a model that can be replaced loads what the model in use needs', async () => {
  const loaded: string[] = [];
  const named = (name: string): EmbeddingModel => ({ ...model, name, preload: async () => void loaded.push(name) });
  const { embeddings, replace } = replaceableEmbedder(named('test/one'));
  await embeddings.preload?.();
  replace(named('test/two'));
  await embeddings.preload?.();
  replace(model);
  await embeddings.preload?.();
  expect(loaded).toEqual(['test/one', 'test/two']);
});
