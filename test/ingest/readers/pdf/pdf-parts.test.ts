import { describe, expect, it } from 'vitest';
import { monoFonts } from '../../../../src/ingest/readers/pdf/pdf-fonts.ts';
import { linesAt, makePdf, type PdfText } from '../../make-pdf.ts';
import { blocksOf, readFile } from '../support.ts';

/** Running text, so that what differs from it is recognised. */
const text = (y: number): PdfText[] =>
  linesAt(60, y, [
    'The harbour master records every boat that enters or leaves the port, and he writes',
    'a report on the first day of each month, which the council reads in its next session.',
  ]);

const mono = (x: number, top: number, lines: readonly string[]): PdfText[] =>
  linesAt(x, top, lines, 10).map((run) => ({ ...run, isMono: true }));

describe('parts of a PDF', () => {
  it('have letters whose accents are drawn over them as signs of their own', async () => {
    // As TeX does it: the accent ends a run, and the letter begins where the accent does, not after it.
    const runs: PdfText[] = [
      { text: 'A vers\u00a8', x: 60, y: 700 },
      { text: 'ohnung', x: 91, y: 700 },
      { text: 'gar\u00b8', x: 60, y: 660 },
      { text: 'con', x: 75.3, y: 660 },
    ];
    const read = await readFile('a.pdf', makePdf([runs]));
    expect(read.text).toContain('vers\u00f6hnung');
    expect(read.text).toContain('gar\u00e7on');
  });

  it('keep the lines and the indentation of programs', async () => {
    const page = [
      ...text(780),
      ...mono(72, 740, ['def fare(zone):', '    if zone > 2:', '        return 14', '    return 9']),
      ...text(680),
    ];
    const blocks = blocksOf(await readFile('a.pdf', makePdf([page])));
    expect(blocks[1]).toEqual(['code', 'def fare(zone):\n    if zone > 2:\n        return 14\n    return 9']);
    expect(blocks.map(([kind]) => kind)).toEqual(['paragraph', 'code', 'paragraph']);
  });

  it('are running text where an address did not fit on the line before', async () => {
    const page = [
      ...text(780),
      ...linesAt(60, 740, ['Faults of boats are reported to the master at']),
      { text: 'https://harbour.example/faults/of/boats/and/of/their/crews', x: 60, y: 726, isMono: true },
      ...linesAt(60, 712, ['before the boat leaves the port on its next journey.']),
    ];
    const read = await readFile('a.pdf', makePdf([page]));
    expect(read.text).toContain('at https://harbour.example/faults/of/boats/and/of/their/crews before the boat');
  });

  it('are paragraphs when the whole document is set in type of one width', async () => {
    const page = mono(60, 780, ['The ferry was late on nine days of the', 'month because of fog and of strong wind.']);
    expect(blocksOf(await readFile('a.pdf', makePdf([page])))).toEqual([
      ['paragraph', 'The ferry was late on nine days of the month because of fog and of strong wind.'],
    ]);
  });

  it('have one entry of a table of contents on each line, without its dots', async () => {
    const dots = '. . . . . . . . . . . . . .';
    const page = [
      ...text(780),
      { text: '1 Fares', x: 60, y: 700 },
      { text: '3', x: 500, y: 700 },
      ...linesAt(72, 686, [`1.1 Single tickets ${dots} 3`, `1.2 Season tickets ${dots} 4`]),
      { text: '2 Lost property', x: 60, y: 656 },
      { text: '7', x: 500, y: 656 },
    ];
    const blocks = blocksOf(await readFile('a.pdf', makePdf([page])));
    expect(blocks.at(-1)).toEqual([
      'list',
      '1 Fares 3\n1.1 Single tickets \u2026 3\n1.2 Season tickets \u2026 4\n2 Lost property 7',
    ]);
  });

  it('leave out the titles of chapters beside page numbers', async () => {
    const pages = ['Fares', 'Fares', 'Fares', 'Lost property', 'Lost property'].map((title, index) => {
      const number = String(index + 11);
      const header: PdfText[] =
        index % 2 === 0
          ? [
              { text: number, x: 60, y: 820, size: 9 },
              { text: title, x: 440, y: 820, size: 9 },
            ]
          : [
              { text: title, x: 60, y: 820, size: 9 },
              { text: number, x: 500, y: 820, size: 9 },
            ];
      const words = `On day ${'one two three four five'.split(' ')[index]} the boats were late.`;
      return [...header, ...linesAt(60, 780 - index * 40, [words, 'The council was told of it.'])];
    });
    const read = await readFile('a.pdf', makePdf(pages));
    expect(read.text).not.toMatch(/Fares|Lost|1[1-5]/);
    expect(read.text).toContain('On day three the boats were late. The council was told of it.');
  });

  it('keep the numbered titles of slides, which look like such titles', async () => {
    const pages = ['Fares', 'Boats', 'Crews', 'Piers'].map((title, index) => [
      { text: `${index + 1} ${title}`, x: 60, y: 780, size: 24 },
      ...text(700),
    ]);
    const read = await readFile('a.pdf', makePdf(pages));
    expect(read.text).toContain('3 Crews');
  });

  it('separate the columns of a table that are close to each other', async () => {
    const rows = [
      ['none', 'no ticket is needed on this line'],
      ['single', 'one journey within two hours'],
      ['season', 'all journeys of a month, also'],
      ['', 'those of children below ten'],
      ['group', 'ten people on the same boat'],
    ];
    const page = [
      ...text(780),
      ...rows.flatMap(([label = '', words = ''], index): PdfText[] => [
        ...(label === '' ? [] : [{ text: label, x: 72, y: 720 - index * 14 }]),
        { text: words, x: 118, y: 720 - index * 14 },
      ]),
    ];
    const table = blocksOf(await readFile('a.pdf', makePdf([page]))).find(([kind]) => kind === 'table');
    expect(table?.[1]).toContain('| single | one journey within two hours |');
    expect(table?.[1]).toContain('| group | ten people on the same boat |');
  });

  it('end a list where text follows at its margin', async () => {
    const page = [
      ...linesAt(60, 780, ['* fast lookup of the boats in the register of the port', '* complex questions']),
      ...linesAt(60, 780 - 2 * 13.75, ['The register addresses the needs of the council, which asks about boats,']),
    ];
    const blocks = blocksOf(await readFile('a.pdf', makePdf([page])));
    expect(blocks.at(-1)?.[1]).toMatch(/^The register/);
  });

  it('are one paragraph when the first line of a numbered one is indented', async () => {
    const page = [
      { text: '(c) Lost property. Everything that the crews find on board of a boat or on a pier', x: 80, y: 700 },
      { text: 'is kept for sixty days in the office at the pier, and then it is sold.', x: 60, y: 686 },
    ];
    const read = await readFile('a.pdf', makePdf([[...text(760), ...page]]));
    expect(read.text).toContain('on board of a boat or on a pier is kept');
  });

  it('are one paragraph when a numbered one is set ragged, with a short line', async () => {
    const page = linesAt(60, 700, [
      '(g) any breach of the duties to',
      'Company property, and of the rules of the port.',
    ]);
    const read = await readFile('a.pdf', makePdf([[...text(760), ...page]]));
    expect(read.text).toContain('(g) any breach of the duties to Company property, and of the rules of the port.');
  });

  it('are no table where lines are numbered in the margin', async () => {
    const lines = Array.from({ length: 8 }, (_, index) => `line ${index} of the report runs on about boats and piers,`);
    const numbers = [5, 10].map((number, index) => ({ text: String(number), x: 40, y: 700 - index * 4 * 13.75 }));
    const page = [...numbers, ...linesAt(80, 700, lines)];
    const blocks = blocksOf(await readFile('a.pdf', makePdf([page])));
    expect(blocks.map(([kind]) => kind)).not.toContain('table');
  });

  it('are one paragraph when a term stands beside the first line of its explanation', async () => {
    const page = [
      { text: 'quiet', x: 60, y: 700 },
      ...linesAt(120, 700, ['writes no messages, neither while the program', 'starts nor while it works']),
    ];
    const read = await readFile('a.pdf', makePdf([[...text(760), ...page]]));
    expect(read.text).toContain('quiet  writes no messages, neither while the program starts nor while it works');
  });
});

describe('the fonts of programs', () => {
  const item = (str: string, width: number, fontName: string) => ({ str, width, height: 10, fontName });
  const styles = {
    code: { fontFamily: 'monospace' },
    claimed: { fontFamily: 'monospace' },
    text: { fontFamily: 'serif' },
  };

  it('are those whose letters have the same width, not those that only claim it', () => {
    const items = [
      item('return', 36, 'code'),
      item('illicit', 42.1, 'code'),
      item('woman', 40, 'claimed'),
      item('illicit', 20, 'claimed'),
      item('return', 36, 'text'),
    ];
    expect([...monoFonts(items, styles)]).toEqual(['code']);
  });
});
