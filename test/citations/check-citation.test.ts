import { describe, expect, it } from 'vitest';
import {
  type CitationCheck,
  checkStatement,
  toComparableText,
  weakestVerdict,
} from '../../src/citations/check-citation.ts';
import { supports } from '../../src/citations/verdict.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

const analyser = { analyse, analyseQuery };
const check = (statement: string, cited: string, ...others: readonly string[]) =>
  checkStatement({
    statement,
    cited: toComparableText(cited, analyser),
    others: others.map((text, index) => [index + 2, toComparableText(text, analyser)] as const),
    analyser,
  });

const tower = 'The tower was finished in 1889 and is 330 metres tall. It was designed by Stephen Sauvestre.';
const bridge = 'The bridge crosses the bay and was opened in 1937 by the governor.';

describe('the verdict on a statement', () => {
  it.each<[string, string, string]>([
    ['its words stand there', 'The tower was finished in 1889', tower],
    ['but for case, spacing and marks', '“the  TOWER was finished in 1889”', tower],
    [
      'what it quotes stands there, whatever surrounds it',
      'As the guide says, it was “designed by Stephen Sauvestre”, of all people.',
      tower,
    ],
    ['in another script', '塔は1889年に完成した', '塔は1889年に完成した。高さは330メートル。'],
    ['with letters between that nobody sees', 'finished in 1889', 'The tower was fin\u{E0061}ished\u200B in 1889.'],
  ])('is verbatim when %s', (_, statement, cited) => {
    expect(check(statement, cited)).toEqual({ verdict: 'verbatim', score: 1 });
  });

  it('is close when most of its terms and all its numbers are in the source', () => {
    const { verdict, score } = check('Sauvestre designed the tower, which was finished in 1889', tower);
    expect(verdict).toBe('close');
    expect(score).toBeGreaterThan(0.5);
    expect(score).toBeLessThanOrEqual(1);
  });

  it('is never close with a changed figure, however alike the words are', () => {
    expect(check('The tower was finished in 1899 and is tall', tower).verdict).toBe('not_found');
    expect(check('The tower is 33 metres tall and was finished in 1889', tower).verdict).toBe('not_found');
  });

  it.each([
    ['Lost property is kept for sixty days', 'close'],
    ['Lost property is kept for Ninety days', 'not_found'],
    ['Lost property is kept for sixty-one days', 'not_found'],
    ['Lost property is kept for 60 days in two places', 'close'],
  ])('compares numbers in words with those in digits: %s', (statement, verdict) => {
    expect(check(statement, 'Lost property is kept in the blue chest for 60 days.').verdict).toBe(verdict);
  });

  it('compares numbers in digits with those in words', () => {
    const kept = 'Lost property is kept in the blue chest for twenty-one days.';
    expect(check('Lost property is kept for 21 days', kept).verdict).toBe('close');
    expect(check('Lost property is kept for 20 days', kept).verdict).toBe('not_found');
    expect(check('It carried sixty thousand people', 'It carried 60,000 people in 2024.').verdict).toBe('close');
  });

  it.each([
    [
      'Lost property is kept for 3 months.',
      'In the drill of 3 September, the boat did not start. Two months later it did.',
    ],
    ['Tickets cost 12 crowns.', 'At 12 the tower was locked.'],
  ])('is never close for a short number and hardly a word in common: %s', (statement, cited) => {
    expect(check(statement, cited).verdict).toBe('not_found');
  });

  it('is never close for one word in common of two', () => {
    expect(check('It crosses to Mars.', bridge).verdict).toBe('not_found');
    expect(check('The governor opened it.', bridge).verdict).toBe('close');
  });

  it('is never close when its quotation was changed', () => {
    expect(check('It was “designed by Gustave Eiffel himself” in 1889.', tower).verdict).toBe('not_found');
  });

  it('is elsewhere when another source of the run supports it, and names that source', () => {
    expect(check('The bridge was opened in 1937', tower, 'Nothing here.', bridge)).toMatchObject({
      verdict: 'elsewhere',
      foundIn: 3,
    });
  });

  it('is not found when no source supports it', () => {
    expect(check('The harbour froze over in winter', tower, bridge)).toMatchObject({ verdict: 'not_found' });
    expect(check('', tower).verdict).not.toBe('close');
  });

  it('is the weakest of several citations', () => {
    const checks = (['verbatim', 'elsewhere', 'close'] as const).map(
      (verdict, index): CitationCheck => ({
        span: { start: index, end: index + 3 },
        statement: '',
        verdict,
        score: index,
      }),
    );
    expect(weakestVerdict(checks)).toEqual({ verdict: 'elsewhere', score: 1 });
    expect(weakestVerdict([])).toEqual({ verdict: 'not_found', score: 0 });
    expect(checks.map(({ verdict }) => supports(verdict))).toEqual([true, false, true]);
  });
});

it.each([
  ['full stops', `${'.'.repeat(100_000)}x`, 'not_found'],
  ['spaces in a quotation', `It says “the tower${' '.repeat(100_000)}was finished”.`, 'verbatim'],
])('a statement of a hundred thousand %s is checked in linear time', (_, statement, verdict) => {
  // In quadratic time, it would take far longer than a test may.
  expect(check(statement, tower).verdict).toBe(verdict);
});
