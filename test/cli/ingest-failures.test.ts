import { expect, it } from 'vitest';
import { type IngestFailure, noteFailures } from '../../src/cli/ingest-failures.ts';

function linesFor(failures: readonly IngestFailure[]): readonly string[] {
  const lines: string[] = [];
  noteFailures(failures, { note: (line = '') => lines.push(line), noteStyle: (_, text) => text });
  return lines;
}

it('groups failures by reason, the most frequent first, and names each file once', () => {
  expect(
    linesFor([
      { name: '/in/lost.txt', reason: 'It cannot be read.' },
      { name: '/in/b.pdf', reason: 'b.pdf is not a readable PDF.' },
      { name: '/in/a.pdf', reason: 'a.pdf is not a readable PDF.' },
    ]),
  ).toEqual([
    'failed 2: … is not a readable PDF.',
    '  /in/a.pdf',
    '  /in/b.pdf',
    'failed /in/lost.txt: It cannot be read.',
  ]);
});

it('counts what it does not list', () => {
  const many = Array.from({ length: 25 }, (_, index) => ({ name: `/in/${index}.pdf`, reason: 'It is locked.' }));
  expect(linesFor(many).length).toBe(22);
  expect(linesFor(many).at(-1)).toBe('  and 5 more');
  const different = many.map(({ name }, index) => ({ name, reason: `Page ${index} is damaged.` }));
  expect(linesFor(different).at(-1)).toBe('  and 5 more, for other reasons');
});

it('shows names and reasons without control characters, and nothing if nothing failed', () => {
  expect(linesFor([{ name: '/in/a\u001b[2J', reason: 'bad\nnews' }])).toEqual(['failed /in/a\ufffd[2J: bad news']);
  expect(linesFor([])).toEqual([]);
});
