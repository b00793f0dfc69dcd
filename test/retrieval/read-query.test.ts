import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuery } from '../../src/retrieval/read-query.ts';
import { PROMPTLY_MS } from '../support/patience.ts';

describe('readQuery', () => {
  it.each([
    ['red "soft power" -apple', 'red soft power', ['soft power'], ['apple']],
    ['a -"big deal" b', 'a b', [], ['big deal']],
    ['“curly words” here', 'curly words here', ['curly words'], []],
    ['„so steht es“ da', 'so steht es da', ['so steht es'], []],
    ['price ("per seat")', 'price (per seat)', ['per seat'], []],
    ['jaguar -car -"big cat"', 'jaguar', [], ['car', 'big cat']],
    ['-draft report', 'report', [], ['draft']],
    ['report -year-end', 'report', [], ['year-end']],
    ['"twice" "twice"', 'twice twice', ['twice'], []],
  ])('parses %s', (query, text, phrases, excluded) => {
    expect(readQuery(query)).toMatchObject({ text, phrases, excluded });
  });

  it.each([
    'x - y',
    '-5 degrees',
    '-0.3',
    'tar -x file',
    'git --amend',
    '"unbalanced words',
    'a 5" pipe and a 3" pipe',
    'print("hello world")',
    'state-of-the-art',
    'Privatpersonen und -organisationen',
    '""',
    '"!!!" alone',
    'it said a"b"c',
    '- ',
  ])('treats %s as plain text', (query) => {
    expect(readQuery(query)).toMatchObject({ text: query, phrases: [], excluded: [] });
  });

  it('recognises a question by its question mark', () => {
    expect(readQuery('what is "soft power"?').isQuestion).toBe(true);
    expect(readQuery('他说的“软实力”是什么？').isQuestion).toBe(true);
    expect(readQuery('"soft power" origins').isQuestion).toBe(false);
  });

  it('treats text with many operators as plain text', () => {
    const query = Array.from({ length: 20 }, (_, place) => `"word${place}"`).join(' ');
    expect(readQuery(query)).toMatchObject({ text: query, phrases: [] });
  });

  it('parses any input quickly', () => {
    const typed = fc.array(fc.constantFrom('"', '-', ' ', 'a', 'und', '“', '”', '5', '\n', '('), { maxLength: 400 });
    fc.assert(
      fc.property(typed, (pieces) => {
        const query = pieces.join('');
        const read = readQuery(query);
        if (read.phrases.length + read.excluded.length === 0) expect(read.text).toBe(query);
      }),
    );
    const started = performance.now();
    readQuery('" -'.repeat(30_000));
    readQuery(`${' '.repeat(60_000)}-a`);
    expect(performance.now() - started).toBeLessThan(PROMPTLY_MS);
  });
});
