import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatements } from '../../src/citations/read-statements.ts';

const read = (answer: string) => readStatements(answer).map(({ text, markers }) => [text, ...markers]);

describe('the statements of an answer', () => {
  it.each([
    [
      'sentences with their markers, before or behind the full stop',
      'It opened in 1937 [1]. Its towers are 227 metres tall.[2] It is painted orange. [3]',
      [
        ['It opened in 1937.', 1],
        ['Its towers are 227 metres tall.', 2],
        ['It is painted orange.', 3],
      ],
    ],
    [
      'parts of a sentence that have markers of their own',
      'It opened in 1937 [1], and its towers are 227 metres tall [2].',
      [
        ['It opened in 1937', 1],
        ['and its towers are 227 metres tall', 2],
      ],
    ],
    [
      'a short part as its whole sentence',
      'Opened 1937 [1], in May [2].',
      [
        ['Opened 1937, in May.', 1],
        ['Opened 1937, in May.', 2],
      ],
    ],
    ['one statement for markers side by side', 'It opened in 1937 [1][2], [4].', [['It opened in 1937.', 1, 2, 4]]],
    ['lists and ranges of markers', 'It opened in 1937 [1, 3-5].', [['It opened in 1937.', 1, 3, 4, 5]]],
    ['markers that are links', 'It opened in 1937 [1](https://example.com/a).', [['It opened in 1937.', 1]]],
    [
      'items of a list, without their signs',
      '- **Opened:** in 1937 [1]\n- Towers: 227 metres [2]',
      [
        ['Opened: in 1937', 1],
        ['Towers: 227 metres', 2],
      ],
    ],
    [
      'what has no marker, when it states something',
      'It was painted orange by the navy. Yes. And why?',
      [['It was painted orange by the navy.']],
    ],
    [
      'short sentences, labels excepted',
      '# Prices\n\nDear visitor,\n\n**Opening hours**\n\n| Price | Room | Bed |\n\nIt costs 40 euros. The sky is green. Bees dance. Yes. I hope this helps. And why? Note:\n\n- Red roof\n- Bees have no teeth',
      [['It costs 40 euros.'], ['The sky is green.'], ['Bees dance.'], ['Bees have no teeth']],
    ],
    [
      'short sentences of scripts without spaces',
      '天空是蓝色的。蜜蜂没有牙齿。',
      [['天空是蓝色的。'], ['蜜蜂没有牙齿。']],
    ],
    ['no headings', '## The history of the old bridge in figures\n\nBees dance.', [['Bees dance.']]],
    ['nothing of code, nor an index', '```\nlist[1] = "this is a long line of code"\n```\nUse `list[0]`.', []],
    [
      'nothing of the sources named at the end',
      'It opened in 1937 [1].\n\n## Sources\n\n[1] The history of the bridge, page 12',
      [['It opened in 1937.', 1]],
    ],
    [
      'nothing of notes',
      'It opened in 1937 [^1].\n\n[^1]: The history of the bridge, page 12',
      [['It opened in 1937.', 1]],
    ],
  ])('are %s', (_name, answer, expected) => {
    expect(read(answer).map(([text, ...markers]) => [String(text).replace(/[.,]+$/, ''), ...markers])).toEqual(
      expected.map(([text, ...markers]) => [String(text).replace(/[.,]+$/, ''), ...markers]),
    );
  });

  it('have correct offsets in any answer', () => {
    const piece = fc.constantFrom(
      '[1]',
      '[2, 3]',
      '. ',
      ' It stands here',
      '**',
      '\n',
      '- ',
      '```',
      '[0]',
      '(x)',
      ' Sources:',
      '  ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const answer = pieces.join('');
        for (const { start, end, text } of readStatements(answer)) {
          expect(text).toMatch(/[\p{L}\p{N}]/u);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(answer.length);
          const [first = ''] = text.match(/[\p{L}\p{N}]+/u) ?? [];
          expect(answer.slice(start, end)).toContain(first);
        }
      }),
    );
  });
});

it.each([
  ['spaces after the word Sources', `It opened in 1937 [1].\n\nSources${' '.repeat(100_000)}x`],
  ['spaces before a marker', `It opened${' '.repeat(100_000)}in 1937 [1].`],
])('a hundred thousand %s are read in linear time', (_, answer) => {
  // In quadratic time, it would take far longer than a test may.
  expect(readStatements(answer)).not.toEqual([]);
});
