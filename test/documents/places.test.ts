import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf, placeAt, placesWithin, withPlaces } from '../../src/documents/places.ts';

const outline = {
  pages: [
    { number: 1, start: 0, end: 100 },
    { number: 2, start: 100, end: 180 },
    // An empty page.
    { number: 3, start: 180, end: 180 },
    { number: 4, start: 180, end: 300 },
  ],
  headings: [
    { start: 10, path: ['A'] },
    { start: 120, path: ['A', 'B'] },
    { start: 150, path: ['C'] },
  ],
};

const stretch = (start: number, end: number, headingPath: readonly string[] = ['A']) => ({
  start,
  end,
  headingPath,
  page: 1,
  text: 'x'.repeat(end - start),
});

describe('page and headings within a passage', () => {
  it('begin with those of the passage, and change at page and section boundaries', () => {
    expect(placesWithin(stretch(50, 200), outline)).toEqual([
      { start: 50, page: 1, headingPath: ['A'] },
      { start: 100, page: 2, headingPath: ['A'] },
      { start: 120, page: 2, headingPath: ['A', 'B'] },
      { start: 150, page: 2, headingPath: ['C'] },
      { start: 180, page: 4, headingPath: ['C'] },
    ]);
  });

  it.each([
    [50, 1, ['A']],
    [119, 2, ['A']],
    [120, 2, ['A', 'B']],
    [199, 4, ['C']],
  ])('are known for character %i', (offset, page, headingPath) => {
    expect(placeAt(withPlaces(stretch(50, 200), outline), offset)).toEqual({ page, headingPath });
  });

  it('do not split a passage on one page and in one section', () => {
    const whole = stretch(20, 90, ['A', 'Stop | Price']);
    expect(withPlaces(whole, outline)).toBe(whole);
    expect(placeAt(whole, 30)).toEqual({ page: 1, headingPath: ['A', 'Stop | Price'] });
  });

  it('repeat the column names only for the rest of the table', () => {
    const places = placesWithin(stretch(50, 140, ['A', 'Stop | Price']), outline);
    expect(places.map(({ headingPath }) => headingPath)).toEqual([
      ['A', 'Stop | Price'],
      ['A', 'Stop | Price'],
      ['A', 'B'],
    ]);
    // The chunk was named after the section that begins within it.
    expect(placesWithin(stretch(105, 140, ['A', 'B']), outline)[0]?.headingPath).toEqual(['A']);
  });

  it('are not computed for a text that the offsets do not refer to', () => {
    const edited = { ...stretch(50, 200), text: 'other words' };
    expect(withPlaces(edited, outline)).toBe(edited);
  });

  it('are named as pages, or as slides of a presentation', () => {
    expect(pagesOf(withPlaces(stretch(50, 200), outline), 'pdf')).toBe('pages 1-4');
    expect(pagesOf(withPlaces(stretch(50, 130), outline), 'pptx')).toBe('slides 1-2');
    expect(pagesOf(stretch(20, 90), undefined)).toBe('page 1');
    expect(pagesOf({ ...stretch(20, 90), page: null }, 'odp')).toBeUndefined();
  });

  it('equal the result of a linear search for any pages and sections', () => {
    const starts = fc.uniqueArray(fc.nat(400), { maxLength: 20 }).map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(
        starts,
        starts,
        fc.nat(300),
        fc.integer({ min: 1, max: 100 }),
        fc.nat(),
        (pages, headings, start, length, at) => {
          const spans = pages.map((from, index) => ({ number: index + 1, start: from, end: pages[index + 1] ?? 500 }));
          const sections = headings.map((from) => ({ start: from, path: [`at ${from}`] }));
          const path = sections.findLast((section) => section.start <= start)?.path ?? [];
          const page = spans.findLast((span) => span.start <= start)?.number ?? null;
          const passage = { start, end: start + length, text: 'x'.repeat(length), page, headingPath: path };
          const offset = start + (at % length);
          expect(placeAt(withPlaces(passage, { pages: spans, headings: sections }), offset)).toEqual({
            page: spans.findLast((span) => span.start <= offset)?.number ?? null,
            headingPath: sections.findLast((section) => section.start <= offset)?.path ?? [],
          });
        },
      ),
    );
  });
});
