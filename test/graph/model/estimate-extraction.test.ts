import { expect, it } from 'vitest';
import { estimateExtraction } from '../../../src/graph/model/estimate-extraction.ts';

const chunks = Array.from({ length: 10 }, (_, place) => ({
  text: `Passage ${place}. ${'word '.repeat(200)}`,
  headingPath: [],
}));

it('says how many calls and tokens an extraction takes, and what it costs where the price is known', () => {
  const price = { input: 1, cachedInput: 0.1, output: 4 };
  const estimate = estimateExtraction(chunks, price);
  expect(estimate.calls).toBe(3);
  expect(estimate.inputTokens).toBeGreaterThan(10 * 250);
  expect(estimate.cost).toBeCloseTo((estimate.inputTokens + 4 * estimate.outputTokens) / 1_000_000, 10);
  expect(estimateExtraction(chunks, undefined)).toEqual({ ...estimate, cost: null });
});

it('counts no call where there is nothing to read', () => {
  expect(estimateExtraction([{ text: ' \n— ', headingPath: [] }], undefined)).toMatchObject({
    calls: 0,
    inputTokens: 0,
  });
});
