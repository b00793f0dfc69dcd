import { describe, expect, it } from 'vitest';
import { placeOf, shortPlace } from '../../src/page/app/views/library/place-of.ts';

describe('the place of a document', () => {
  it.each([
    ['file:///home/ada/papers%20new/README.md', '/home/ada/papers new'],
    ['file:///README.md', '/'],
    ['file:///C:/papers/a.pdf', 'C:/papers'],
    ['file:///a%E0%A4%A/b.txt', '/a%E0%A4%A'],
    ['https://example.org/guide/index.html?x=1', 'example.org/guide/index.html'],
    ['s3://papers/2026/a.pdf', undefined],
    ['report.pdf', undefined],
    [null, undefined],
  ])('of %s is %s', (source, place) => {
    expect(placeOf(source)).toBe(place);
  });

  it('makes characters visible that reverse the direction of a name', () => {
    expect(placeOf('file:///papers/%E2%80%AEx/a.pdf')).toBe('/papers/\ufffdx');
  });

  it('is shortened to its last three parts', () => {
    expect(shortPlace('/home/ada/papers/2026/spring')).toBe('…/papers/2026/spring');
    expect(shortPlace('/home/ada/papers')).toBe('/home/ada/papers');
  });
});
