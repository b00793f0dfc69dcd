import { expect, it } from 'vitest';
import { explanationLines } from '../../src/cli/search.ts';

it('explains a search without the fields that have no value', () => {
  const lines = explanationLines({
    kind: 'hybrid',
    rewritten: null,
    notes: [],
    coverage: { score: 1, missing: [] },
    milliseconds: { embed: 0.31, semantic: 14 },
  });
  expect(lines).toEqual(['kind          hybrid', 'coverage      score 1', 'milliseconds  embed 0.3, semantic 14']);
});
