import { describe, expect, it } from 'vitest';
import { jsonOrText, oneLine, percentDecoded, shortLine, splitList } from '../../src/shared/text.ts';

describe('single-line text', () => {
  it('has single spaces, and none at the ends', () => {
    expect(oneLine('\n a\t\tb\u00a0\r\n c ')).toBe('a b c');
  });

  it('is truncated to the length with an ellipsis, never within a character', () => {
    expect(shortLine(' ab\ncd ', 5)).toBe('ab cd');
    expect(shortLine('ab cde', 5)).toBe('ab c…');
    expect(shortLine('ab 😀😀', 5)).toBe('ab \ufffd…');
  });
});

describe('a list', () => {
  it.each([
    ['a,b, c\n d ,, ', undefined, ['a', 'b', 'c', 'd']],
    ['', undefined, []],
    ['/my files, /other\n/third', /[,\n]/, ['/my files', '/other', '/third']],
  ])('%j is split at the separators', (list, separator, entries) => {
    expect(splitList(list, separator)).toEqual(entries);
  });
});

describe('text from outside', () => {
  it('is decoded where it is percent-encoded as a whole, and else left as it is', () => {
    expect(['a%20b%2Fc', '100%', 'a%20b 50%', '%C3%A9', '%E9'].map(percentDecoded)).toEqual([
      'a b/c',
      '100%',
      'a%20b 50%',
      'é',
      '%E9',
    ]);
  });

  it('is parsed where it is JSON, and else left as it is', () => {
    expect(['{"a":[1]}', 'null', '"a"', '{"a":', 'a', ''].map(jsonOrText)).toEqual([
      { a: [1] },
      null,
      'a',
      '{"a":',
      'a',
      '',
    ]);
  });
});
