import { describe, expect, it } from 'vitest';
import { locateQuote } from '../../src/page/app/views/source/locate-quote.ts';
import { pageItems, runsOf } from '../../src/page/app/views/source/pdf/page-items.ts';
import { annotationItems } from '../../src/pdf-layout/annotation-items.ts';

type Item = Parameters<typeof pageItems>[0][number];

const item = (str: string, x: number, y: number): Item => ({
  str,
  width: str.length * 5,
  height: 10,
  transform: [10, 0, 0, 10, x, y],
  fontName: 'f1',
});

/** The parts of the items that a quote of the page covers. */
function covered(items: readonly Item[], quote: string) {
  const page = pageItems(items);
  const located = locateQuote([{ number: 1, text: page.text }], quote, 1);
  if (located.kind !== 'found') return located.kind;
  const texts = items.flatMap((each) => ('str' in each ? [each.str] : []));
  return located.parts.flatMap((part) =>
    runsOf(part, page).map(({ index, from, to }) => [index, texts[index]?.slice(from, to)]),
  );
}

describe('the text of a PDF page', () => {
  it('has the values of form fields where the extracted text has them', () => {
    const labels = [item('Traveller:', 100, 200), item('Country:', 100, 170)];
    const fields = annotationItems(
      [
        { subtype: 'Widget', fieldType: 'Tx', fieldValue: 'Ottilie', rect: [200, 195, 400, 213] },
        { subtype: 'Widget', fieldType: 'Tx', fieldValue: 'Norway', rect: [200, 165, 400, 183] },
      ],
      labels,
    );
    expect(covered([...labels, ...fields], 'Traveller: Ottilie Country:')).toEqual([
      [0, 'Traveller:'],
      [2, 'Ottilie'],
      [1, 'Country:'],
    ]);
  });

  const items = [
    item('The ', 100, 200),
    { type: 'beginMarkedContent' },
    item('inter-', 120, 200),
    item('', 150, 200),
    item('national board', 100, 188),
  ];

  it('is joined from its runs', () => {
    expect(pageItems(items).text).toBe('The \ninter-\nnational board\n');
  });

  it('leads back to the text items', () => {
    expect(covered(items, 'he')).toEqual([[0, 'he']]);
    expect(covered(items, 'international')).toEqual([
      [1, 'inter-'],
      [3, 'national'],
    ]);
  });

  it('has the rows of a table that is stored column by column', () => {
    const table = [
      item('North', 50, 700),
      item('South', 50, 680),
      item('120', 150, 700),
      item('120', 150, 680),
      item('kroner', 250, 700),
      item('kroner', 250, 680),
    ];
    expect(covered(table, '| South | 120 | kroner |')).toEqual([
      [1, 'South'],
      [3, '120'],
      [5, 'kroner'],
    ]);
  });

  it('has the words of a line from right to left in their order', () => {
    const line = [item('فعالة', 50, 700), item('حلول', 80, 700), item('إيجاد', 110, 700)];
    expect(covered(line, 'إيجاد حلول فعالة')).toEqual([
      [2, 'إيجاد'],
      [1, 'حلول'],
      [0, 'فعالة'],
    ]);
  });

  it('has letters without a name, which are not quoted', () => {
    expect(covered([item('x\u0000y', 50, 700)], 'x y')).toEqual([[0, 'x\u0000y']]);
  });
});
