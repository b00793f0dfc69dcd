import { describe, expect, it } from 'vitest';
import { cpuSeconds } from '../../cpu-seconds.ts';
import { makeCjkPdf } from '../../make-cjk-pdf.ts';
import { linesAt, makePdf, type PdfText } from '../../make-pdf.ts';
import { blocksOf, readFile } from '../support.ts';

const WORDS = ['boats', 'piers', 'fog', 'mail', 'crews', 'ropes', 'tides', 'lamps', 'nets', 'sails', 'winds', 'gulls'];
const prose = (topic: string, count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${topic} line ${index} runs on about ${WORDS[index]} and the weather out at sea,`,
  );

/** A line 115 points wide, of letters that are each 5.56 points wide in Helvetica of size 10. */
function justified(line: string, y: number): PdfText[] {
  const words = line.split(' ');
  const widths = words.map((word) => word.length * 5.56);
  const gap = (115 - widths.reduce((sum, width) => sum + width, 0)) / (words.length - 1);
  let x = 50;
  return words.map((text, index) => {
    const run = { text, x, y, size: 10 };
    x += (widths[index] ?? 0) + gap;
    return run;
  });
}

describe('a PDF', () => {
  it('has what was filled into its form, beside the labels, and what was written onto its page', async () => {
    const field = (rest: string, y: number, flags = 4) =>
      `<< /Type /Annot /Subtype /Widget /F ${flags} /Rect [200 ${y - 5} 400 ${y + 21}] ${rest} >>`;
    const labels = ['Traveller:', 'Country:', 'Paid in advance', 'Refused', 'Password:', 'Internal:'];
    const read = await readFile(
      'form.pdf',
      makePdf([[{ text: 'Travel expenses', x: 50, y: 780, size: 16 }, ...linesAt(50, 740, labels, 24)]], {
        annotations: [
          field('/FT /Tx /T (traveller) /V (Ottilie Brandvold)', 740),
          field('/FT /Ch /T (country) /V (no) /Opt [[(se) (Sweden)] [(no) (Norway)]]', 710),
          field('/FT /Btn /T (paid) /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>', 680),
          field('/FT /Btn /T (refused) /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>', 650),
          field('/FT /Tx /T (password) /Ff 8192 /V (hunter2)', 620),
          field('/FT /Tx /T (internal) /V (unseen)', 590, 2),
          '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [50 480 400 540] /DA (/Helv 12 Tf) /Contents (Approved by Inga\\rwithout the taxi) >>',
          '<< /Type /Annot /Subtype /Text /F 4 /Rect [500 740 520 760] /T (Inga) /Contents (Where is the receipt?) >>',
          '<< /Type /Annot /Subtype /Highlight /F 4 /Rect [50 740 90 750] /Contents () >>',
          '<< /Type /Annot /Subtype /Link /F 4 /Rect [50 780 100 800] /Contents (a link) >>',
        ],
      }),
    );
    expect(read.text.split('\n\n')).toEqual([
      'Travel expenses',
      '| Traveller: | Ottilie Brandvold |\n| --- | --- |\n| Country: | Norway |\n| Paid in advance | ☒ |',
      'Refused Password:',
      'Internal:',
      'Approved by Inga without the taxi',
      '[Comment by Inga: Where is the receipt?]',
    ]);
  });

  it('keeps a field in the footer of its form apart from the table above', async () => {
    const field = (rest: string, x: number, y: number) =>
      `<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /Rect [${x} ${y - 4} ${x + 150} ${y + 12}] ${rest} >>`;
    const read = await readFile(
      'form.pdf',
      makePdf(
        [
          [
            ...linesAt(50, 88, ['Traveller:', 'Country:'], 11),
            { text: 'Travel form of June 2021', x: 50, y: 50, size: 7 },
          ],
        ],
        {
          annotations: [
            field('/V (Ottilie Brandvold) /DA (/Helv 11 Tf)', 200, 88),
            field('/V (Norway) /DA (/Helv 11 Tf)', 200, 74.25),
            field('/V (No. 77-B) /DA (/Helv 7 Tf)', 200, 50),
          ],
        },
      ),
    );
    expect(read.text.split('\n\n')).toEqual([
      '| Traveller: | Ottilie Brandvold |\n| --- | --- |\n| Country: | Norway |',
      'Travel form of June 2021  No. 77-B',
    ]);
  });

  it('has its East Asian text, also without embedded fonts and Unicode tables', async () => {
    const read = await readFile(
      'a.pdf',
      makeCjkPdf([
        { encoding: '90ms-RKSJ-H', ordering: 'Japan1', hex: '914482cd92a982c98d6082f08f6f82dc82b78142' },
        { encoding: 'GBK-EUC-H', ordering: 'GB1', hex: 'b6c9b4acd4e7c9cfc0ebbfaab8dbbfdaa1a3' },
        { encoding: 'ETen-B5-H', ordering: 'CNS1', hex: 'b4e7b2eea6ada457c2f7b67db4e4a466a143' },
        { encoding: 'KSCms-UHC-H', ordering: 'Korea1', hex: 'b9e8b4c220bec6c4a7bfa120c7d7b1b8b8a620b6b0b3adb4d92e' },
      ]),
    );
    expect(read.text.split('\n\n')).toEqual([
      '船は朝に港を出ます。',
      '渡船早上离开港口。',
      '渡船早上離開港口。',
      '배는 아침에 항구를 떠난다.',
    ]);
  });

  it('has its paragraphs joined from their lines, and headings by size', async () => {
    const read = await readFile(
      'a.pdf',
      makePdf([
        [
          ...linesAt(60, 780, ['Harbour report'], 20),
          ...linesAt(60, 740, [
            'The ferry was late on nine days of the month because of',
            'fog, and it did not sail on two days because of the',
            'storm.',
          ]),
          ...linesAt(60, 680, ['A second paragraph stands further below and says something', 'else about the pier.']),
        ],
      ]),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Harbour report'],
      [
        'paragraph',
        'The ferry was late on nine days of the month because of fog, and it did not sail on two days because of the storm.',
      ],
      ['paragraph', 'A second paragraph stands further below and says something else about the pier.'],
    ]);
  });

  it('rejoins words hyphenated at line ends, and keeps real hyphens', async () => {
    const read = await readFile(
      'a.pdf',
      makePdf([
        linesAt(60, 780, [
          'The harbour master keeps a well-known list of all life-',
          'boats, and the regis-',
          'ter is well-',
          'known on the coast.',
        ]),
      ]),
    );
    expect(read.text).toBe(
      'The harbour master keeps a well-known list of all lifeboats, and the register is well-known on the coast.',
    );
  });

  it('is read column by column', async () => {
    // Line by line across both columns, as some programs write text.
    const left = linesAt(
      50,
      740,
      prose('Left', 12).map((line) => line.slice(0, 44)),
    );
    const right = linesAt(
      320,
      740,
      prose('Right', 12).map((line) => line.slice(0, 44)),
    );
    const page = [
      ...linesAt(50, 790, ['A title across both of the columns of this page'], 18),
      ...left.flatMap((line, index) => [line, ...right.slice(index, index + 1)]),
    ];
    const { text } = await readFile('a.pdf', makePdf([page]));
    expect(text.indexOf('A title')).toBe(0);
    expect(text.indexOf('Left line 11')).toBeLessThan(text.indexOf('Right line 0'));
    expect(text.indexOf('Right line 0')).toBeLessThan(text.indexOf('Right line 11'));
  });

  it('is read column by column, where only a few of its lines stand in two columns', async () => {
    const [left, right] = [
      [
        'The harbour master opens the gate at dawn,',
        'and every crew that waits outside must then',
        'show its papers. Nobody may enter before the',
        'mail boat, which has its own berth beside',
      ],
      ['the old crane. Fishing boats moor along the', 'northern quay and land their catch before', 'the market opens.'],
    ];
    const page = [
      ...linesAt(50, 790, ['Rules of the harbour, which hang on the door of the office and apply to everybody']),
      // Line by line across both columns, as some programs write text.
      ...left.flatMap((text, index) => [
        ...linesAt(50, 740 - 14 * index, [text]),
        ...linesAt(310, 740 - 14 * index, right.slice(index, index + 1)),
      ]),
      ...linesAt(50, 640, ['Penalties']),
      ...linesAt(50, 620, ['Whoever enters early waits outside the gate until every other boat has landed its catch.']),
    ];
    const { text } = await readFile('a.pdf', makePdf([page]));
    expect(text.replace(/\s+/g, ' ')).toContain([...left, ...right].join(' '));
    expect(text).not.toContain('|');
    expect(text.indexOf('market opens')).toBeLessThan(text.indexOf('Penalties'));
  });

  it('keeps a table whose cells are sentences of several lines', async () => {
    const rows = [
      ['The gate is closed at night and during', 'Wait outside until the harbour master'],
      ['storms from the west.', 'opens it again at dawn.'],
      ['The crane is in use by the mail boat on', 'Moor at the northern quay and land'],
      ['every second morning.', 'the catch by hand.'],
    ];
    const page = rows.flatMap(([one = '', other = ''], index) => {
      const y = 740 - 14 * index - (index > 1 ? 8 : 0);
      return [...linesAt(50, y, [one]), ...linesAt(310, y, [other])];
    });
    const read = await readFile('a.pdf', makePdf([page]));
    expect(blocksOf(read)).toEqual([['table', expect.stringContaining('| The gate is closed')]]);
  });

  it('keeps justified lines in their paragraph, however wide their spaces', async () => {
    const lines = ['a good hound had been', 'bound upon a dune', 'headband begun', 'and no hand had been'];
    const page = [
      ...lines.flatMap((line, index) => justified(line, 740 - index * 12)),
      ...linesAt(50, 740 - lines.length * 12, ['open on one dune.'], 10),
    ];
    const read = await readFile('a.pdf', makePdf([page]));
    expect(blocksOf(read)).toEqual([['paragraph', `${lines.join(' ')} open on one dune.`]]);
  });

  it('keeps the rows of a table that is as wide as the text above', async () => {
    const page = [
      ...justified('a good hound had been', 740),
      ...justified('bound upon a dune and', 728),
      ...justified('hound abode', 716),
      ...justified('one 900', 704),
      ...justified('open 900', 692),
    ];
    const read = await readFile('a.pdf', makePdf([page]));
    expect(blocksOf(read)).toEqual([
      ['paragraph', 'a good hound had been bound upon a dune and'],
      ['table', '| hound | abode |\n| --- | --- |\n| one | 900 |\n| open | 900 |'],
    ]);
  });

  it('keeps the numbered rows of a table that goes on over pages', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => [`Pier ${at}`, `${at * 3} kroner`]);
    const pages = [0, 40, 80].map((first) =>
      rows
        .slice(first, first + 40)
        .flatMap((row, line) => row.map((text, column) => ({ text, x: 72 + 200 * column, y: 780 - 17 * line }))),
    );
    const { text } = await readFile('a.pdf', makePdf(pages));
    const found = new Set(text.match(/Pier \d+/g));
    expect(rows.map(([name]) => name).filter((name = '') => !found.has(name))).toEqual([]);
  });

  it('is read without its running headers, footers and page numbers', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => [
      ...linesAt(60, 810, ['Skerry Line annual report']),
      ...linesAt(60, 760, [...prose(`Page ${index + 1}`, 8), 'done.']),
      ...linesAt(290, 30, [`- ${index + 1} -`]),
    ]);
    const read = await readFile('a.pdf', makePdf(pages));
    expect(read.text).not.toContain('annual report');
    expect(read.text).not.toMatch(/- \d -/);
    expect(read.text).toContain('Page 6 line 7');
  });

  it('keeps what is numbered at the edges of pages that are documents of their own', async () => {
    const pages = [120, 75, 310, 42, 990, 64].map((amount, index) => [
      ...linesAt(60, 810, [`Invoice INV-2024-${1041 + index}`]),
      ...linesAt(60, 760, prose(`Bill of pier ${index + 1}`, 5)),
      ...linesAt(60, 50, [`Total due: ${amount}.50 EUR`]),
      ...linesAt(60, 30, [`Skerry Line, page ${index + 1} of 6`]),
    ]);
    const { text } = await readFile('a.pdf', makePdf(pages));
    expect(text.match(/INV-2024-104\d/g)).toHaveLength(6);
    expect(text.match(/Total due: \d+/g)).toHaveLength(6);
    expect(text).not.toContain('Skerry Line');
  });

  it('leaves out headers with numbers of sections and pages that begin anew', async () => {
    const numbers = ['1-1 of 2', '1-2 of 2', '2-1 of 1', '3-1 of 3', '3-2 of 3', '3-3 of 3'];
    const pages = numbers.map((number, index) => [
      ...linesAt(60, 810, [`Handbook ${number}`]),
      ...linesAt(60, 760, prose(`Page ${index + 1}`, 5)),
    ]);
    expect((await readFile('a.pdf', makePdf(pages))).text).not.toContain('Handbook');
  });

  it('gives the exact offsets of each page in the text', async () => {
    const read = await readFile(
      'a.pdf',
      makePdf([linesAt(60, 780, ['First page.']), [], linesAt(60, 780, ['Third page.'])]),
    );
    expect(read.pages.map(({ number, start, end }) => [number, read.text.slice(start, end)])).toEqual([
      [1, 'First page.'],
      [2, ''],
      [3, 'Third page.'],
    ]);
    expect(read.metadata).toMatchObject({ page_count: 3 });
  });

  it('keeps a cell of two lines in its row, whose other cells are centred beside it', async () => {
    const page = [
      ...linesAt(50, 736, ['Name service']),
      ...linesAt(300, 736, ['BIND']),
      ...linesAt(50, 710, ['Home directories over', 'the network']),
      ...linesAt(300, 703.1, ['NFS']),
      ...linesAt(50, 672, ['Web cache']),
      ...linesAt(300, 672, ['Squid']),
    ];
    const read = await readFile('a.pdf', makePdf([page]));
    expect(blocksOf(read)).toEqual([
      [
        'table',
        '| Name service | BIND |\n| --- | --- |\n| Home directories over the network | NFS |\n| Web cache | Squid |',
      ],
    ]);
  });

  it('keeps the rows of a table together', async () => {
    const cells = (y: number, row: readonly string[]) =>
      row.map((text, index) => ({ text, x: 60 + index * 150, y, size: 11 }));
    const read = await readFile(
      'a.pdf',
      makePdf([
        [
          ...cells(700, ['To', 'Single', 'Return']),
          ...cells(685, ['Holm', '48', '86']),
          ...cells(670, ['Lunga', '64', '115']),
        ],
      ]),
    );
    expect(blocksOf(read)).toEqual([
      ['table', '| To | Single | Return |\n| --- | --- | --- |\n| Holm | 48 | 86 |\n| Lunga | 64 | 115 |'],
    ]);
  });

  it('keeps table cells in their columns, with signs beside numbers and labels on their own lines', async () => {
    const cells = (y: number, row: readonly (readonly [number, string])[]) =>
      row.map(([x, text]) => ({ text, x, y, size: 11 }));
    const read = await readFile(
      'a.pdf',
      makePdf([
        [
          ...cells(700, [
            [220, '2023'],
            [320, '2022'],
          ]),
          ...cells(685, [[60, 'Income']]),
          ...cells(670, [
            [70, 'Tickets'],
            [200, '$'],
            [220, '48'],
            [300, '$'],
            [320, '86'],
          ]),
          ...cells(655, [
            [70, 'Mail'],
            [220, '6'],
            [320, '(15'],
            [350, ')'],
          ]),
        ],
      ]),
    );
    expect(blocksOf(read)).toEqual([
      [
        'table',
        '|  | 2023 | 2022 |\n| --- | --- | --- |\n| Income |  |  |\n| Tickets | $48 | $86 |\n| Mail | 6 | (15) |',
      ],
    ]);
  });

  it('joins bullets with their items at any distance', async () => {
    const points = ['The first point of the list', 'The second point'].flatMap((text, index) => [
      { text: '*', x: 60, y: 700 - index * 14 },
      { text, x: 96, y: 700 - index * 14 },
    ]);
    expect(blocksOf(await readFile('a.pdf', makePdf([points])))).toEqual([
      ['list', '* The first point of the list'],
      ['list', '* The second point'],
    ]);
  });

  it('treats short bold lines as headings', async () => {
    const read = await readFile(
      'a.pdf',
      makePdf([
        [
          { text: 'Fares', x: 60, y: 760, isBold: true },
          ...linesAt(60, 746, [...prose('Text', 5), 'done.']),
          { text: 'Dogs', x: 60, y: 660, isBold: true },
          ...linesAt(60, 646, ['Dogs travel free of charge on all lines and at all times of the year.']),
        ],
      ]),
    );
    expect(blocksOf(read).map(([kind]) => kind)).toEqual(['heading 1', 'paragraph', 'heading 1', 'paragraph']);
  });

  it.each([90, 180, 270])('turned by %i degrees is read like one that is upright', async (turn) => {
    const lines = linesAt(60, 700, [
      'The ferry was late on nine days of the month because',
      'of fog, and of the storm.',
    ]);
    const read = await readFile('a.pdf', makePdf([lines], { turn }));
    expect(read.text).toBe('The ferry was late on nine days of the month because of fog, and of the storm.');
  });

  it('keeps a hyphen between two words that occur separately in the text', async () => {
    const read = await readFile(
      'a.pdf',
      makePdf([
        linesAt(60, 780, [
          'The harbour is open and the master is known. It is an open-',
          'harbour for all, with a light-',
          'house.',
        ]),
      ]),
    );
    expect(read.text).toContain('an open-harbour for all, with a lighthouse.');
  });

  it('is read when its cross-reference table is missing', async () => {
    const whole = Buffer.from(makePdf([linesAt(60, 780, ['Text that is still there.'])]));
    const lost = whole
      .toString('latin1')
      .replace(/xref[\s\S]*?trailer/, 'trailer')
      .replace(/startxref\n\d+/, 'startxref\n99999');
    expect((await readFile('a.pdf', Buffer.from(lost, 'latin1'))).text).toBe('Text that is still there.');
  });

  it.each([
    ['without text', makePdf([[]]), 'invalid_request', /no text found.*CITEWELL_READ_IMAGES/],
    [
      'cut off in its middle',
      makePdf([linesAt(60, 780, ['text'])]).slice(0, 120),
      'invalid_request',
      /not a readable PDF|damaged|no text/,
    ],
    [
      'that is a web page',
      new TextEncoder().encode('<!DOCTYPE html><p>Not found'),
      'invalid_request',
      /name it \.html/,
    ],
    ['that is none', new TextEncoder().encode('%PDF-1.7\nnothing else'), 'invalid_request', /not a readable PDF/],
  ])('%s is refused with the reason', async (_, bytes, code, message) => {
    await expect(readFile('a.pdf', bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('that declares millions of pages is quickly refused or read with its actual pages', async () => {
    const endless = makePdf([linesAt(60, 780, ['text'])], { pageCount: 213_000_000 });
    const seconds = await cpuSeconds(() =>
      readFile('a.pdf', endless).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('213000000') }),
      ),
    );
    expect(seconds).toBeLessThan(3);
  });
});
