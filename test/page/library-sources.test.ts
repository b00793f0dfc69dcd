import { describe, expect, it } from 'vitest';
import { library } from '../../src/page/app/texts/library.ts';
import { readAddress } from '../../src/page/app/views/library/sources-data.ts';

it('the progress of a source shows the total, or the number listed so far', () => {
  expect(library.sourceProgress(1_200, 10_000, 10_000)).toBe('1,200 of 10,000 checked');
  expect(library.sourceProgress(1_200, null, 2_000)).toBe('1,200 checked of 2,000 listed so far');
  expect(library.sourceProgress(1_200, null, null)).toBe('1,200 checked');
});

describe('a typed web address', () => {
  it.each([
    ['https://example.org/guide/', 'https://example.org/guide/'],
    [' example.org/guide ', 'https://example.org/guide'],
    ['wiki.intern:8080/start', 'https://wiki.intern:8080/start'],
    ['http://localhost:3000', 'http://localhost:3000/'],
    ['http://[::1]/', 'http://[::1]/'],
  ])('%s is read', (typed, address) => {
    expect(readAddress(typed)).toBe(address);
  });

  it.each(['', 'guide', 'ftp://example.org/', 'javascript:alert(1)', 'file:///etc/passwd', 'https://'])(
    '“%s” is refused',
    (typed) => {
      expect(readAddress(typed)).toBeUndefined();
    },
  );
});
