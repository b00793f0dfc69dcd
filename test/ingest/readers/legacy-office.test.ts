import { describe, expect, it } from 'vitest';
import { encryptedRecord, legacyCells, makeDoc, makePpt, makeXls } from '../make-legacy-office.ts';
import { blocksOf, readFile } from './support.ts';

describe('a workbook of Excel 97', () => {
  it('is read with texts, numbers, dates, formulas and merged cells as tables', async () => {
    const { shared, number, packed, truth, formula, merged } = legacyCells;
    const records = [
      ...[0, 1, 2, 3].map((index) => shared(0, index, index)),
      shared(1, 0, 4),
      number(1, 1, 45_000, 1),
      packed(1, 2, [7, -8]),
      number(2, 1, 45_001, 1),
      truth(2, 2, true),
      formula(2, 3, 'worked out'),
      merged(1, 2, 0, 0),
    ];
    const read = await readFile(
      'a.xls',
      makeXls(
        [
          { name: 'Log', records },
          { name: 'More', isHidden: true, records: [shared(0, 0, 0)] },
        ],
        {
          strings: ['Линия', 'Day', 'A', 'B', 'North'],
          format: 'd/m/yy',
        },
      ),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Log'],
      [
        'table',
        '| Линия | Day | A | B |\n| --- | --- | --- | --- |\n| North | 2023-03-15 | 7 | -8 |\n| North | 2023-03-16 | TRUE | worked out |',
      ],
      ['heading 1', 'More (hidden sheet)'],
      ['paragraph', 'Линия'],
    ]);
  });

  it('reads strings continued over several records', async () => {
    const strings = Array.from({ length: 1_500 }, (_, index) => `text ${index}${index % 2 === 0 ? ' ж' : ''}`);
    const records = strings.map((_, index) => legacyCells.shared(index, 0, index));
    const read = await readFile('a.xls', makeXls([{ name: 'Log', records }], { strings }));
    expect(read.text).toBe(`Log\n\n${strings.join('\n')}`);
  });

  it('is refused with the reason when it is encrypted', async () => {
    await expect(readFile('a.xls', makeXls([], { head: [encryptedRecord] }))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('needs a password'),
    });
  });
});

describe('a document of Word 97', () => {
  it('is read with headings, tables, and the results of fields without their codes', async () => {
    const read = await readFile(
      'a.doc',
      makeDoc([
        { text: 'Terms', style: 1 },
        { text: 'See \u0013HYPERLINK "http://x"\u0014the site\u0015.' },
        { text: 'What', end: 'cell' },
        { text: 'Price', end: 'cell' },
        { text: '', end: 'row' },
        { text: 'Dog', end: 'cell' },
        { text: '', end: 'cell' },
        { text: '', end: 'row' },
        { text: 'Ж — end' },
      ]),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Terms'],
      ['paragraph', 'See the site.'],
      ['table', '| What | Price |\n| --- | --- |\n| Dog |  |'],
      ['paragraph', 'Ж — end'],
    ]);
  });

  it('is refused with the reason when it is encrypted', async () => {
    await expect(readFile('a.doc', makeDoc([{ text: 'x' }], { flags: 0x0100 }))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('needs a password'),
    });
  });
});

describe('a presentation of PowerPoint 97', () => {
  it('has a page and a heading for each slide, with its text boxes and notes', async () => {
    const read = await readFile(
      'a.ppt',
      makePpt([{ title: 'Ferries', box: 'Two boats\nand a raft', notes: 'Say hello.' }, { box: 'Alone' }]),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 2', 'Ferries'],
      ['paragraph', 'Two boats\nand a raft'],
      ['paragraph', 'Notes: Say hello.'],
      ['heading 2', 'Slide 2'],
      ['paragraph', 'Alone'],
    ]);
    expect(read.pages.map(({ number }) => number)).toEqual([1, 2]);
  });
});
