import { describe, expect, it } from 'vitest';
import { oneLine, shortLine, splitList } from '../../src/shared/text.ts';

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
