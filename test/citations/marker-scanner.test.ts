import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkerScanner, type ScannedPart } from '../../src/citations/marker-scanner.ts';
import { LINEAR_COST, relativeCost } from '../support/processor-time.ts';

const SOURCES = 3;

function scan(tokens: readonly string[]) {
  const scanner = new MarkerScanner((number) => number >= 1 && number <= SOURCES);
  const parts = [...tokens.flatMap((token) => scanner.push(token)), ...scanner.end()];
  return { parts, text: scanner.text, removed: scanner.removed };
}

const markersOf = (parts: readonly ScannedPart[]) =>
  parts.flatMap((part) => (part.type === 'marker' ? part.number : []));

/** Joins adjacent text parts, whose boundaries do not matter. */
function joined(parts: readonly ScannedPart[]): ScannedPart[] {
  const result: ScannedPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      result.splice(-1, 1, { type: 'text', text: last.text + part.text });
    else result.push(part);
  }
  return result;
}

const cases: readonly (readonly [
  name: string,
  given: string,
  text: string,
  markers: readonly number[],
  removed: number,
])[] = [
  ['one marker', 'Paris [1].', 'Paris [1].', [1], 0],
  ['a marker right after the word', 'Paris[1].', 'Paris[1].', [1], 0],
  ['neighbours', 'Paris [1][2]', 'Paris [1][2]', [1, 2], 0],
  ['a list', 'Paris [1, 3]', 'Paris [1][3]', [1, 3], 0],
  ['a list with a semicolon', 'Paris [1;2]', 'Paris [1][2]', [1, 2], 0],
  ['a range', 'Paris [1-3]', 'Paris [1][2][3]', [1, 2, 3], 0],
  ['a number twice in a list', 'Paris [1, 1]', 'Paris [1]', [1], 0],
  ['full-width brackets', '巴黎【1】，伦敦［２］。', '巴黎[1]，伦敦[2]。', [1, 2], 0],
  ['a title behind a dagger', 'Paris【1†guide.pdf】', 'Paris[1]', [1], 0],
  ['a foot note', 'Paris [^1]', 'Paris [1]', [1], 0],
  ['the word source', 'Paris [Source 1] and [sources: 2, 3]', 'Paris [1] and [2][3]', [1, 2, 3], 0],
  ['inner spaces and leading zeros', 'Paris [ 01 ]', 'Paris [1]', [1], 0],
  ['double brackets', 'Paris [[1]]', 'Paris [[1]]', [1], 0],
  ['an unknown number', 'Paris [9].', 'Paris.', [], 1],
  ['an unknown number between words', 'Paris [9] is old', 'Paris is old', [], 1],
  ['an unknown number at the start', '[9] Paris', 'Paris', [], 1],
  ['an unknown number on a line of its own', 'A\n[9]\nB', 'A\n\nB', [], 1],
  ['an unknown number at the end', 'Paris [9]', 'Paris', [], 1],
  ['an unknown number before a known one', 'Paris [9] [1]', 'Paris [1]', [1], 1],
  ['an unknown number beside a known one', 'Paris [9][1].', 'Paris [1].', [1], 1],
  ['an unknown number after a known one', 'Paris [1][9].', 'Paris [1].', [1], 1],
  ['unknown numbers in a list', 'Paris [1, 7, 9].', 'Paris [1].', [1], 2],
  ['an unknown number inside of an open bracket', '[1[9]]', '[1 ]', [], 1],
  ['zero as a marker', 'Paris [0].', 'Paris.', [], 1],
  ['zero as an index', 'Use args[0].', 'Use args[0].', [], 0],
  ['an interval', 'p in [0, 1]', 'p in [0, 1]', [], 0],
  ['a year', 'In [2019] EWCA', 'In [2019] EWCA', [], 0],
  ['a negative number', 'x = [-1]', 'x = [-1]', [], 0],
  ['words in brackets', 'He [sic] said [so1]', 'He [sic] said [so1]', [], 0],
  ['an open bracket', 'Paris [1', 'Paris [1', [], 0],
  ['a bracket in a bracket', 'Paris [1 [2]', 'Paris [1 [2]', [2], 0],
  ['check boxes', '- [ ] a\n- [x] b', '- [ ] a\n- [x] b', [], 0],
  ['an escaped bracket', 'Paris \\[1]', 'Paris \\[1]', [], 0],
  ['a link', 'Paris [1](https://x.example/[2]) [3]', 'Paris [1](https://x.example/[2]) [3]', [3], 0],
  ['a parenthesis behind a space', 'Paris [1] (France)', 'Paris [1] (France)', [1], 0],
  ['a list of sources', '[1]: A\n[2]: B', '[1]: A\n[2]: B', [1, 2], 0],
  ['a code span', 'Use `a[1]` [1]', 'Use `a[1]` [1]', [1], 0],
  ['a code span with two ticks', '``a[1]`[2]`` [3]', '``a[1]`[2]`` [3]', [3], 0],
  ['a stray backtick', 'A ` b [1]\nC [2]', 'A ` b [1]\nC [2]', [2], 0],
  ['a fence', 'A [1]\n```js\na[2] = `[9]`\n```\nB [3]', 'A [1]\n```js\na[2] = `[9]`\n```\nB [3]', [1, 3], 0],
  ['a fence of tildes in a list', '- ~~~\n  [9]\n  ~~~\n- [1]', '- ~~~\n  [9]\n  ~~~\n- [1]', [1], 0],
  ['a longer fence around a shorter', '````\n```\n[9]\n````\n[1]', '````\n```\n[9]\n````\n[1]', [1], 0],
  ['a fence that never closes', '```\n[1]', '```\n[1]', [], 0],
  ['ticks of a code span that look like a fence', '```a[2]``` [1]', '```a[2]``` [1]', [1], 0],
];

describe('MarkerScanner', () => {
  it.each(cases)('reads %s', (_name, given, text, markers, removed) => {
    const scanned = scan([given]);
    expect({ text: scanned.text, markers: markersOf(scanned.parts), removed: scanned.removed }).toEqual({
      text,
      markers,
      removed,
    });
  });

  it('gives a marker right after the text that completed it', () => {
    expect(scan(['Paris', ' [', '1', ']', ' is']).parts).toEqual([
      { type: 'text', text: 'Paris' },
      { type: 'text', text: ' [1]' },
      { type: 'marker', number: 1, shown: 1, span: { start: 6, end: 9 } },
      { type: 'text', text: ' is' },
    ]);
  });

  it('holds back no text that cannot become a marker', () => {
    const scanner = new MarkerScanner(() => true);
    expect(scanner.push('Hello')).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(scanner.push(' [so')).toEqual([]);
    expect(scanner.push('me')).toEqual([{ type: 'text', text: ' [some' }]);
  });

  const fragment = fc.constantFrom(
    ...[
      '[1]',
      '[2, 3]',
      '[9]',
      '[',
      ']',
      '1',
      '0',
      ',',
      ' ',
      '\n',
      '`',
      '```',
      '~~~',
      '(',
      ')',
      '【3】',
      '-',
      '^',
      'Source ',
      'word',
      '.',
    ],
    ...['\\', '](', '†', '［２］', '\t', '> ', '😀'],
  );
  const answer = fc.array(fragment, { maxLength: 40 }).map((fragments) => fragments.join(''));

  it('reads the same however the text is cut into tokens', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(80), { maxLength: 20 }), (text, cuts) => {
        const borders = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort(
          (a, b) => a - b,
        );
        const tokens = borders.slice(1).map((end, index) => text.slice(borders[index], end));
        const whole = scan([text]);
        const cut = scan(tokens);
        expect(joined(cut.parts)).toEqual(joined(whole.parts));
        expect(cut.removed).toBe(whole.removed);
      }),
    );
  });

  it('gives the offsets of markers in the finished answer', () => {
    fc.assert(
      fc.property(answer, (given) => {
        const { parts, text } = scan([...given]);
        expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(text);
        let length = 0;
        for (const part of parts) {
          if (part.type === 'text') length += part.text.length;
          else {
            expect(part.span.end).toBe(length);
            expect(text.slice(part.span.start, part.span.end)).toBe(`[${part.number}]`);
            expect(part.number).toBeLessThanOrEqual(SOURCES);
          }
        }
      }),
    );
  });

  it.each(['[', '[1', '[1,', '`', ' ', '[9] ', ']('])('takes time linear in hostile text of "%s"', (piece) => {
    expect(relativeCost((size) => void scan([piece.repeat(size)]), 3_000)).toBeLessThan(LINEAR_COST);
  });
});
