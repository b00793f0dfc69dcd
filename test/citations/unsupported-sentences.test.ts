import { describe, expect, it } from 'vitest';
import type { CheckedCitation } from '../../src/citations/check-citation.ts';
import { unsupportedSentences } from '../../src/citations/unsupported-sentences.ts';
import type { Verdict } from '../../src/citations/verdict.ts';
import { foundChunk } from '../support/found.ts';

/** Citations for the markers in a text, each with the verdict at its number. */
function citationsOf(text: string, verdicts: readonly Verdict[]): CheckedCitation[] {
  return [...text.matchAll(/\[(\d)\]/g)].map((match) => {
    const number = Number(match[1]);
    const verdict = verdicts[number - 1] ?? 'verbatim';
    const span = { start: match.index, end: match.index + match[0].length };
    const check = { span, statement: '', verdict, score: 1 };
    return {
      id: `cit.${number}`,
      number,
      source: { kind: 'chunk', chunk: foundChunk('x') },
      spans: [span],
      quotes: [],
      verdict,
      score: 1,
      checks: [check],
    };
  });
}

const unsupported = (text: string, ...verdicts: readonly Verdict[]) =>
  unsupportedSentences(text, citationsOf(text, verdicts)).map(({ start, end }) => text.slice(start, end));

describe('unsupported sentences', () => {
  it.each([
    ['with a marker in it', 'The tower [1] was finished in the year 1889.'],
    ['with a marker behind its full stop', 'The tower was finished in the year 1889. [1] [2]'],
    ['that only introduces', 'These are the towers of the old city of Paris:'],
    ['that asks', 'Should the tower have been finished any earlier than that?'],
    ['that is a heading', '## The towers of the old city of Paris'],
    ['that states nothing', 'Yes. Of course.'],
  ])('are none %s', (_, text) => {
    expect(unsupported(text)).toEqual([]);
  });

  it('are those without a marker', () => {
    const text = 'The tower was finished in 1889 [1]. It is the finest tower in the world. So be it.';
    expect(unsupported(text)).toEqual(['It is the finest tower in the world.']);
  });

  it('are those of Chinese, whose characters stand for several letters', () => {
    expect(unsupported('这座桥于一九三七年通车。好的。')).toEqual(['这座桥于一九三七年通车。']);
  });

  it('are those whose sources do not support them', () => {
    const text = 'The tower was finished in the year 1889 [1]. The bridge was opened in the year 1937 [2][3].';
    expect(unsupported(text, 'not_found', 'elsewhere', 'close')).toEqual([
      'The tower was finished in the year 1889 [1].',
    ]);
    expect(unsupported(text, 'close', 'elsewhere', 'not_found')).toEqual([
      'The bridge was opened in the year 1937 [2][3].',
    ]);
  });
});
