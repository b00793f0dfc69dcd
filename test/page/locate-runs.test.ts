import { describe, expect, it } from 'vitest';
import { locateRuns } from '../../src/page/app/views/source/pdf/locate-runs.ts';
import { pageItems } from '../../src/page/app/views/source/pdf/page-items.ts';

type Run = readonly [text: string, x: number, y: number];

const page = (number: number, runs: readonly Run[]) => ({
  number,
  items: pageItems(
    runs.map(([str, x, y]) => ({ str, hasEOL: true, width: str.length * 5, transform: [10, 0, 0, 10, x, y] })),
  ),
});

/** The marked words, or why there are none. */
function marked(pages: readonly (readonly Run[])[], quote: string, cited = 1) {
  const all = pages.map((runs, index) => page(index + 1, runs));
  const located = locateRuns(all, quote, cited);
  if (located.kind !== 'found') return located.kind;
  return located.parts.map((part) => [
    part.page,
    all.find(({ number }) => number === part.page)?.items.text.slice(part.start, part.end),
  ]);
}

describe('a quote whose words do not follow each other in the PDF', () => {
  it('is the row of a table that is stored column by column', () => {
    const table: Run[] = [
      ['North', 50, 700],
      ['South', 50, 680],
      ['120', 150, 700],
      ['120', 150, 680],
      ['kroner', 250, 700],
      ['kroner', 250, 680],
    ];
    const located = locateRuns([page(1, table)], '| South | 120 | kroner |', 1);
    expect(located.kind === 'found' && located.parts.map(({ start }) => start)).toEqual([6, 16, 27]);
  });

  it('is a line stored from right to left', () => {
    const line: Run[] = [
      ['فعالة', 50, 700],
      ['حلول', 80, 700],
      ['إيجاد', 110, 700],
    ];
    expect(marked([line], 'إيجاد حلول فعالة')).toEqual([
      [1, 'إيجاد'],
      [1, 'حلول'],
      [1, 'فعالة'],
    ]);
  });

  it('continues behind a footer and a header', () => {
    const first: Run[] = [
      ['First. The board', 50, 100],
      ['Page 1', 50, 40],
    ];
    const second: Run[] = [
      ['Annual report', 50, 800],
      ['decided to sell. Last.', 50, 750],
    ];
    expect(marked([first, second], 'The board decided to sell.')).toEqual([
      [1, 'The board'],
      [2, 'decided to sell.'],
    ]);
  });

  it('is not marked when another place fits about as well', () => {
    const runs: Run[] = [
      ['Fares', 50, 700],
      ['seldom', 200, 600],
      ['rise', 200, 680],
      ['rise', 200, 720],
    ];
    expect(marked([runs], 'Fares rise')).toBe('ambiguous');
  });

  it('is not marked when words of it are missing', () => {
    const runs: Run[] = [
      ['Fares', 50, 700],
      ['soon', 150, 700],
    ];
    expect(marked([runs], 'Fares rise soon')).toBe('not_found');
    expect(marked([runs], 'Fares soon')).toEqual([
      [1, 'Fares'],
      [1, 'soon'],
    ]);
    expect(marked([runs], 'Fares soon', 2)).toBe('not_found');
  });

  it('is not searched for without end', () => {
    const dots: Run[] = Array.from({ length: 400 }, (_, index) => ['.', (index % 20) * 10, 800 - index]);
    const begun = performance.now();
    expect(marked([dots], '.'.repeat(200))).toBe('not_found');
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
