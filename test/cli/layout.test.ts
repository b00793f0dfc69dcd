import { describe, expect, it } from 'vitest';
import { formatLocation, paragraph, table, wrap } from '../../src/cli/layout.ts';
import { count, counted, duration, type Progress, progressLine } from '../../src/cli/progress-line.ts';
import { byteCount } from '../../src/shared/byte-count.ts';

describe('text for a terminal', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['  spread \n out ', 20, ['spread out']],
    ['unbreakable', 4, ['unbr', 'eaka', 'ble']],
    ['', 10, []],
  ])('%j in %i columns is broken at white space', (text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });

  it('truncates a paragraph at a number of lines and says so', () => {
    const text = 'word '.repeat(30);
    expect(paragraph(text, { width: 30, indent: '  ', maxLines: 2 }).split('\n')).toEqual([
      '  word word word word word',
      '  word word word word word …',
    ]);
  });

  it('names page and heading of a chunk where known', () => {
    expect(formatLocation({ documentType: 'pdf', page: 3, headingPath: ['A', 'B'] })).toBe('page 3, A > B');
    expect(formatLocation({ documentType: 'odp', page: 3, headingPath: [] })).toBe('slide 3');
    expect(formatLocation({ documentType: 'md', page: null, headingPath: ['A'] })).toBe('A');
    expect(formatLocation({ documentType: 'md', page: null, headingPath: [] })).toBe('');
  });

  it('never passes terminal control sequences of a text on', () => {
    expect(wrap('a\u001b[31mb \u202ec', 40)).toEqual(['a\ufffd[31mb \ufffdc']);
    expect(table([['we\tird\n"name"', 'x']])).toEqual(['we ird "name"  x']);
  });

  it('aligns columns', () => {
    expect(
      table([
        ['a', 'b'],
        ['long', 'c'],
      ]),
    ).toEqual(['a     b', 'long  c']);
  });

  it.each([
    [0, '0 s'],
    [59.6, '1 min 0 s'],
    [3_700, '1 h 1 min'],
  ])('%d seconds are %s', (seconds, expected) => {
    expect(duration(seconds)).toBe(expected);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_500, '1.5 KB'],
    [250_000_000, '250 MB'],
  ])('%d bytes are %s', (bytes, expected) => {
    expect(byteCount(bytes)).toBe(expected);
  });
});

describe('a line of progress', () => {
  const base: Progress = { done: 30, total: 120, failed: 0, skipped: 0, elapsedSeconds: 10, unit: 'files' };

  it('shows how far it is, how fast, and how long it will take', () => {
    expect(progressLine(base, 100)).toBe('[######------------------]  30/120 files  3.0/s  30 s left');
  });

  it('omits the total while files are still being counted', () => {
    expect(progressLine({ ...base, total: undefined }, 100)).toBe('30 files  3.0/s');
    expect(progressLine({ ...base, total: undefined, listed: 2_000 }, 100)).toBe(
      '30 of 2,000 files listed so far  3.0/s',
    );
  });

  it('counts failures and what was skipped', () => {
    expect(progressLine({ ...base, failed: 2, skipped: 1_000 }, 200)).toContain('1,000 skipped  2 failed');
  });

  it('leaves items without work out of the rate', () => {
    const resumed = { ...base, done: 60, present: 30 };
    expect(progressLine(resumed, 100)).toBe(
      '[############------------]  60/120 files  3.0/s  20 s left  30 already present',
    );
    expect(progressLine({ ...resumed, done: 30 }, 100)).toBe(
      '[######------------------]  30/120 files  30 already present',
    );
  });

  it('estimates the time left once a twentieth of the work or 200 items are done', () => {
    const early = { ...base, total: 1_000, elapsedSeconds: 10 };
    expect(progressLine({ ...early, done: 49 }, 100)).not.toContain('left');
    expect(progressLine({ ...early, done: 50 }, 100)).toContain('3 min 10 s left');
    expect(progressLine({ ...early, total: 100_000, done: 199 }, 100)).not.toContain('left');
    expect(progressLine({ ...early, total: 100_000, done: 200 }, 100)).toContain('1 h 23 min left');
    expect(progressLine({ ...early, total: 130, present: 100, done: 101 }, 100)).not.toContain('left');
  });

  it('is never wider than the terminal', () => {
    expect(progressLine({ ...base, current: 'x'.repeat(200) }, 60).length).toBeLessThan(60);
  });

  it('is complete when there was nothing to do', () => {
    expect(progressLine({ ...base, done: 0, total: 0 }, 100)).toContain('[########################]  0/0');
  });
});

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [-12_345, '-12,345'],
  [1_234_567, '1,234,567'],
])('the number %d is written as %s', (value, text) => {
  expect(count(value)).toBe(text);
});

it('counts one document, and several', () => {
  expect([counted(1, 'document'), counted(1_200, 'document'), counted(0, 'entity', 'entities')]).toEqual([
    '1 document',
    '1,200 documents',
    '0 entities',
  ]);
});
