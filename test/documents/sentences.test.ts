import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SENTENCE_LENGTH, splitSentences } from '../../src/documents/sentences.ts';
import { processorTime } from '../support/processor-time.ts';

const sentencesOf = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));

const cases: readonly (readonly [name: string, text: string, sentences: readonly string[]])[] = [
  ['plain prose', 'It rained. We left! Did you?', ['It rained.', 'We left!', 'Did you?']],
  ['titles', 'Dr. Smith met Mrs. Jones. They spoke.', ['Dr. Smith met Mrs. Jones.', 'They spoke.']],
  ['initials', 'J. R. R. Tolkien wrote it. He was 45.', ['J. R. R. Tolkien wrote it.', 'He was 45.']],
  [
    'U.S. within a name',
    'He joined the U.S. Army in 1940. It was cold.',
    ['He joined the U.S. Army in 1940.', 'It was cold.'],
  ],
  ['U.S. at the end', 'He moved to the U.S. The army called.', ['He moved to the U.S.', 'The army called.']],
  [
    'records of labels and values',
    'ferries[0].name: Havdis\nferries[0].built: 1987\nprice in kroner: 64; valid for: one day',
    ['ferries[0].name: Havdis', 'ferries[0].built: 1987', 'price in kroner: 64; valid for: one day'],
  ],
  [
    'rows of a data file, with sentences in them',
    '2019: 5.3; Remark: Closed. Moved since.; Open: no\n2019: 6.1; Remark: New.; Open: yes\n2019: 7; Remark: None; Open: no',
    [
      '2019: 5.3; Remark: Closed. Moved since.; Open: no',
      '2019: 6.1; Remark: New.; Open: yes',
      '2019: 7; Remark: None; Open: no',
    ],
  ],
  [
    'a label that opens prose',
    'Note: the boat leaves early in the winter months and late in\nthe summer months. Come in time.',
    ['Note: the boat leaves early in the winter months and late in\nthe summer months.', 'Come in time.'],
  ],
  ['decimals', 'Pi is 3.14 or so. Version 2.0.1 is out.', ['Pi is 3.14 or so.', 'Version 2.0.1 is out.']],
  [
    'No. before a number',
    'See No. 5 of the list. He said no. Nobody came.',
    ['See No. 5 of the list.', 'He said no.', 'Nobody came.'],
  ],
  ['companies', 'Acme Inc. Europe grew. Acme Inc. The end.', ['Acme Inc. Europe grew.', 'Acme Inc.', 'The end.']],
  [
    'German',
    'Er kam am 12. Oktober z.B. nach Bonn. Es war kalt.',
    ['Er kam am 12. Oktober z.B. nach Bonn.', 'Es war kalt.'],
  ],
  ['quotes', '“Stop.” She ran. "Why?" he asked.', ['“Stop.”', 'She ran.', '"Why?" he asked.']],
  [
    'note marks',
    'It fell in 1950.[12] The rest stood.[2][3] All of it.',
    ['It fell in 1950.[12]', 'The rest stood.[2][3]', 'All of it.'],
  ],
  [
    'wrapped lines',
    'This sentence runs over the end of\na line and on. Then comes\nanother.',
    ['This sentence runs over the end of\na line and on.', 'Then comes\nanother.'],
  ],
  [
    'a wrapped line that begins like a list item',
    'The road was built as part of Interstate\n9. Major works followed under Nicholas\nE. Golovin. It was paid for (see Smith\n(c) below) by the state.',
    [
      'The road was built as part of Interstate\n9. Major works followed under Nicholas\nE. Golovin.',
      'It was paid for (see Smith\n(c) below) by the state.',
    ],
  ],
  [
    'a wrapped line that ends in a semicolon',
    'The structure of the vegetation is seen from above;\nthe signal is weak. It was\nproposed in 1998.',
    ['The structure of the vegetation is seen from above;\nthe signal is weak.', 'It was\nproposed in 1998.'],
  ],
  [
    'wrapped list items, narrow or indented far',
    '- 100 g starter, fed the\n  same morning\n* Add `trust` to\n    stop at the first untrusted\n1. Mix the flours\n   with salt. Stir\n2. Bake',
    [
      '- 100 g starter, fed the\n  same morning',
      '* Add `trust` to\n    stop at the first untrusted',
      '1. Mix the flours\n   with salt.',
      'Stir',
      '2. Bake',
    ],
  ],
  [
    'lines broken after clauses, and before a long address',
    'To support https,\nyou must first establish a tunnel by means of the\n[`connect` method](https://developer.example.org/en/docs/web/http/methods/connect). Then\ncall it.',
    [
      'To support https,\nyou must first establish a tunnel by means of the\n[`connect` method](https://developer.example.org/en/docs/web/http/methods/connect).',
      'Then\ncall it.',
    ],
  ],
  [
    'prose that is indented as a whole, and code that is not prose',
    '    This memo is indented as some writers\n    do, and its sentences run over the lines\n    as everywhere.\n\nRun:\n    npm install\n    npm start',
    [
      'This memo is indented as some writers\n    do, and its sentences run over the lines\n    as everywhere.',
      'Run:',
      'npm install',
      'npm start',
    ],
  ],
  [
    'signs of a pattern within code, which make no table row',
    '* `!(pattern|pattern|pattern)` matches what does not\n  match any of them.',
    ['* `!(pattern|pattern|pattern)` matches what does not\n  match any of them.'],
  ],
  [
    'wrapped lines that all begin with a capital or a digit',
    'Receipts are handed in within thirty days through the app. Claims above\n500 euros are approved by the finance lead, Dr. Sabine\nKoch.',
    [
      'Receipts are handed in within thirty days through the app.',
      'Claims above\n500 euros are approved by the finance lead, Dr. Sabine\nKoch.',
    ],
  ],
  [
    'verse',
    'Shall I compare thee to a summer’s day?\nThou art more lovely and more temperate:\nRough winds do shake the darling buds of May,\nAnd summer’s lease hath all too short a date;',
    [
      'Shall I compare thee to a summer’s day?',
      'Thou art more lovely and more temperate:',
      'Rough winds do shake the darling buds of May,',
      'And summer’s lease hath all too short a date;',
    ],
  ],
  [
    'hard line breaks of Markdown and HTML',
    'The type of the value is given as `boolean`\\\nand is read at start<br>\nby the program.  \nOnce.',
    ['The type of the value is given as `boolean`\\', 'and is read at start<br>', 'by the program.', 'Once.'],
  ],
  ['paragraphs', 'No full stop here\n\nAnd here neither', ['No full stop here', 'And here neither']],
  [
    'lists',
    'Buy:\n- milk. Fresh\n- eggs\n1. Boil\n2. Eat',
    ['Buy:', '- milk.', 'Fresh', '- eggs', '1. Boil', '2. Eat'],
  ],
  [
    'table rows',
    '| a | b |\n|---|---|\n| Dr. X. | 2. |\nAfter.',
    ['| a | b |', '|---|---|', '| Dr. X. | 2. |', 'After.'],
  ],
  ['headings', '# Title one\nText follows. More.', ['# Title one', 'Text follows.', 'More.']],
  [
    'code',
    'Run:\n```ts\nconst a = b. c;\ncall();\n```\nDone.',
    ['Run:', '```ts', 'const a = b. c;', 'call();', '```', 'Done.'],
  ],
  ['Chinese', '今天下雨。我们走了！你呢？', ['今天下雨。', '我们走了！', '你呢？']],
  ['Japanese', '雨が降った。「帰ろう。」と彼は言った。', ['雨が降った。', '「帰ろう。」', 'と彼は言った。']],
  ['nothing', ' \n\t\n', []],
];

describe('splitSentences', () => {
  it.each(cases)('splits %s', (_name, text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  it.each([40, 60, 80])('finds the same sentences in prose that is wrapped at %s characters', (width) => {
    const prose =
      'Seamans’ committee, headed by his assistant Nicholas E. Golovin in July 1961, was to recommend a rocket; it was ' +
      'a turning point. Major works on Interstate 9. did not follow (see below). The T. T. Tsui Gallery opened in 1991, ' +
      'displaying objects from China – some 16,000 – from the 4th millennium BC on. On 7. January it was closed. Why?';
    const onOneLine = (text: string) => text.replace(/\s+/g, ' ');
    const wrapped = prose.replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trim();
    expect(wrapped.split('\n').length).toBeGreaterThan(4);
    expect(sentencesOf(wrapped).map(onOneLine)).toEqual(sentencesOf(prose));
  });

  it('splits Thai, which has no full stops, at spaces', () => {
    const clause = 'กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย';
    expect(sentencesOf(`${clause} ${clause} ${clause}`)).toEqual([clause, clause, clause]);
  });

  it('cuts a sentence that is too long between words', () => {
    const parts = sentencesOf(`${'word '.repeat(400)}end.`);
    expect(parts.every((part) => /^word.*(?:word|end\.)$/.test(part))).toBe(true);
  });

  it('loses nothing but white space in any text', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '. ',
        '\n',
        '\n\n',
        '- ',
        '| a | b |\n',
        '```\n',
        'U.S. ',
        'Dr. ',
        '。',
        'ไทย ',
        '[',
        '] ',
        '(',
        '😀',
        '\t',
        '    x\n',
        '5. ',
      ),
      fc.string({ unit: 'grapheme' }),
      fc.lorem(),
      fc.nat(900).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        let last = 0;
        for (const { start, end } of splitSentences(text)) {
          expect(text.slice(last, start).trim()).toBe('');
          expect(end - start).toBeGreaterThan(0);
          expect(end - start).toBeLessThanOrEqual(MAX_SENTENCE_LENGTH);
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          last = end;
        }
        expect(text.slice(last).trim()).toBe('');
      }),
    );
  });

  it.each([
    ['no space', 'x'.repeat(2_000_000)],
    ['no full stop', 'word '.repeat(400_000)],
    ['only full stops', '. '.repeat(500_000)],
    ['only brackets', '['.repeat(1_000_000)],
    ['only line breaks', '\n'.repeat(1_000_000)],
    ['only spaces', ' '.repeat(1_000_000)],
    ['only initials', 'A. '.repeat(300_000)],
    ['one long Chinese sentence', '今天下雨'.repeat(300_000)],
    ['pipes and tabs', '|\t'.repeat(500_000)],
    ['one long tag', `<${'a'.repeat(1_000_000)}`],
    ['a line that ends in tabs', `a${'\t'.repeat(1_000_000)}`],
  ])('stays fast on a hostile text: %s', (_name, text) => {
    expect(processorTime(() => splitSentences(text))).toBeLessThan(5_000);
  });
});
