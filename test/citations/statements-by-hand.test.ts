import { describe, expect, it } from 'vitest';
import { checkStatement, toComparableText } from '../../src/citations/check-citation.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import texts from '../fixtures/statements-by-hand.json' with { type: 'json' };

const analyser = { analyse, analyseQuery };

describe.each(texts)('of the statements written by hand about text %#', (statements) => {
  const cited = toComparableText(statements.text, analyser);
  const isSupported = (statement: string) =>
    checkStatement({ statement, cited, others: [], analyser }).verdict !== 'not_found';

  it('all true ones are supported', () => {
    expect(statements.supported.filter((statement) => !isSupported(statement))).toEqual([]);
  });

  // Those that are still supported show the limits of comparing words (docs/quality.md).
  it('the false ones are refused, except those that are known', () => {
    const isFalse = [...statements.refused, ...statements.supportedThoughFalse];
    expect(isFalse.filter(isSupported)).toEqual(statements.supportedThoughFalse);
  });
});
