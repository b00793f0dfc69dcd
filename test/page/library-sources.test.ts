import { describe, expect, it } from 'vitest';
import { readAddress } from '../../src/page/app/views/library/sources-data.ts';

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
