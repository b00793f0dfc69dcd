import { expect, it } from 'vitest';
import { trainingLine } from '../../src/cli/training-line.ts';

it('shows how far the training of an embedder is, then the embedding of the passages', () => {
  expect(trainingLine({ done: 0, total: 12_000, trained: 0.428 })).toBe(
    'Training the embedder on 12,000 passages: 42 %',
  );
  expect(trainingLine({ done: 3_000, total: 12_000 })).toBe(
    'Embedding with the trained embedder: 3,000 of 12,000 passages',
  );
});
