import { describe, expect, it } from 'vitest';
import { library } from '../../src/page/app/texts/library.ts';
import { countFailures, readAddress } from '../../src/page/app/views/library/sources-data.ts';

it('the progress of a source shows the total, or the number listed so far', () => {
  expect(library.sourceProgress(1_200, 10_000, 10_000)).toBe('1,200 of 10,000 checked');
  expect(library.sourceProgress(1_200, null, 2_000)).toBe('1,200 checked of 2,000 listed so far');
  expect(library.sourceProgress(1_200, null, null)).toBe('1,200 checked');
});

it('the summary of failures tells skipped files from failed ones', () => {
  const summary = (listed: number, counts: Record<string, number>) =>
    library.sourceFailures(countFailures(listed, counts));
  expect(summary(2, { ingested: 5, skipped: 2 })).toBe('2 files skipped');
  expect(summary(3, { failed: 1, skipped: 2 })).toBe('One failure, 2 files skipped');
  // Files of unknown formats are skipped without a reason, and not listed.
  expect(summary(1, { failed: 1, skipped: 500 })).toBe('One failure');
  expect(summary(20, { failed: 100, gone: 1, skipped: 2 })).toBe('100 failures, One page no longer exists');
  expect(summary(1, { kept: 1 })).toBe('One failure');
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
