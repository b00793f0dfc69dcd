import { expect, it } from 'vitest';
import { estimateExtraction } from '../../../src/graph/model/estimate-extraction.ts';

const chunks = Array.from({ length: 10 }, (_, place) => ({
  text: `Passage ${place}. ${'word '.repeat(200)}`,
  headingPath: [],
}));

it('estimates calls, tokens and, where the price is known, cost of an extraction', () => {
  const price = { input: 1, cachedInput: 0.1, output: 4 };
  const estimate = estimateExtraction(chunks, price);
  expect(estimate.calls).toBe(3);
  expect(estimate.inputTokens).toBeGreaterThan(10 * 250);
  expect(estimate.cost).toBeCloseTo((estimate.inputTokens + 4 * estimate.outputTokens) / 1_000_000, 10);
  expect(estimateExtraction(chunks, undefined)).toEqual({ ...estimate, cost: null });
});

it('counts no call when there is no text', () => {
  expect(estimateExtraction([{ text: ' \n— ', headingPath: [] }], undefined)).toMatchObject({
    calls: 0,
    inputTokens: 0,
  });
});
