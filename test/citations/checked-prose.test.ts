import { expect, it } from 'vitest';
import { checkedProse } from '../../src/citations/checked-prose.ts';
import { readStatements } from '../../src/citations/read-statements.ts';
import { unsupportedSentences } from '../../src/citations/unsupported-sentences.ts';

const TABLE = [
  'The fares of this year are:',
  '',
  '| Fare of a crossing | Adult | Car under six metres |',
  '|---|---:|:---:|',
  '| Single crossing in summer | 12.50 | 48.00 |',
  '',
].join('\n');

it('the head of a table is no statement, but each of its rows is', () => {
  expect(readStatements(TABLE).map(({ text }) => text)).toEqual(['Single crossing in summer | 12.50 | 48.00']);
  const unsupported = unsupportedSentences(TABLE, []).map(({ start, end }) => TABLE.slice(start, end));
  expect(unsupported).toEqual([expect.stringContaining('Single crossing in summer')]);
});

it('a marker in the head of a table is checked', () => {
  const text = TABLE.replace('Adult', 'Adult [1]');
  expect(readStatements(text).some(({ markers }) => markers.includes(1))).toBe(true);
});

it('code and displayed formulas are no statements', () => {
  const text =
    '```\nreturn every_hour_of_the_day(12)\n```\n\n$$\\int_0^1 x^2 dx = \\frac{1}{3} + some_other_part$$\n\n\\[a = b + 12\\]';
  expect(unsupportedSentences(text, [])).toEqual([]);
  expect(readStatements(text)).toEqual([]);
});

it('offsets stay the same', () => {
  const text = `${TABLE}\nThe ferry sails at nine. $$x$$ It returns.`;
  expect(checkedProse(text)).toHaveLength(text.length);
  expect(checkedProse(text).indexOf('The ferry')).toBe(text.indexOf('The ferry'));
});

it.each([
  ['borders', `${'|'.repeat(1_000_000)}\nx`],
  ['spaces before a line that is no rule', `a|b\n${' '.repeat(1_000_000)}x`],
  ['spaces behind dashes', `a|b\n|---${' '.repeat(1_000_000)}x`],
  ['cells of a line that is no rule', `a|b\n${'|-'.repeat(500_000)}x`],
  ['beginnings of formulas', '\\[$$'.repeat(300_000)],
])('hundreds of thousands of %s are read in linear time', (_, text) => {
  // In quadratic time, each would take far longer than a test may.
  expect(checkedProse(text)).toHaveLength(text.length);
});
