import { describe, expect, it } from 'vitest';
import { streamingText } from '../../src/page/app/views/ask/streaming-text.ts';

describe('streaming text', () => {
  it.each([
    ['half a marker', 'It is so [1', 'It is so'],
    ['a marker whose citation is still to come', 'It is so [1]', 'It is so'],
    ['half a list of markers', 'It is so [1, 2', 'It is so'],
    ['half a link', 'See [the site](https://exa', 'See '],
    ['a link without its address', 'See [the site]', 'See '],
    ['the beginning of emphasis', 'It is **', 'It is '],
    ['open emphasis', 'It is **very', 'It is **very**'],
    ['half of what ends emphasis', 'It is **very*', 'It is **very**'],
    ['open light emphasis', 'It is *very', 'It is *very*'],
    ['emphasis within emphasis', 'It is **very *much', 'It is **very *much***'],
    ['a list of stars', '* one\n* two', '* one\n* two'],
    ['open code', 'Run `npm', 'Run `npm`'],
    ['a formula with a star', 'So $a*b$ is', 'So $a*b$ is'],
    ['half a formula', 'So $$\\frac{a}{b', 'So '],
    ['half a formula in brackets', 'So \\(a_*', 'So '],
    ['a formula after another', '\\[ a \\] and \\[ b*c', '\\[ a \\] and '],
    ['a sum of money', 'It costs $5 and', 'It costs $5 and'],
    ['dollars in code', 'Run `echo $$` and', 'Run `echo $$` and'],
    ['plain text', 'It is so.', 'It is so.'],
    ['brackets that are no marker', 'an [aside] here', 'an [aside] here'],
    ['code that has not ended', '```\na[1', '```\na'],
  ])('%s', (_, text, shown) => {
    expect(streamingText(text, [])).toBe(shown);
  });

  it('keeps a marker that was reported', () => {
    expect(streamingText('It is so [1]', [{ start: 9, end: 12 }])).toBe('It is so [1]');
  });

  it('never shows a partial marker, wherever the text is split', () => {
    const text = 'It is so [1]. And **so** [2][3], see `x` and [a](https://example.org).';
    const marks = [...text.matchAll(/\[\d\]/g)].map(({ index }) => ({ start: index, end: index + 3 }));
    for (let length = 0; length <= text.length; length++) {
      const written = text.slice(0, length);
      const known = marks.filter(({ end }) => end < length);
      const shown = streamingText(written, known);
      const left = known.toReversed().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), shown);
      expect(left, written).not.toMatch(/\[\d?\]?$/);
    }
  });
});
