import { describe, expect, it } from 'vitest';
import { texts } from '../../src/page/app/texts.ts';
import { facetLabel } from '../../src/page/app/views/search/facets.ts';
import { markTerms } from '../../src/page/app/views/search/mark-terms.ts';
import {
  readSearchAddress,
  type SearchAddress,
  toFilters,
  toggled,
  toSearchLink,
} from '../../src/page/app/views/search/search-address.ts';

describe('the address of a search', () => {
  it('round-trips the whole search', () => {
    const address: SearchAddress = {
      ...({
        query: 'refunds & fares',
        kind: 'hybrid',
        limit: 20,
        page: 3,
        types: ['pdf', 'md'],
        collections: ['c'],
      } as const),
      metadata: [
        { key: 'year', value: 2024 },
        { key: 'a=b', value: 'x="y"' },
        { key: 'draft', value: false },
      ],
    };
    const link = toSearchLink(address);
    expect(readSearchAddress(new URL(link, 'http://localhost').searchParams)).toEqual(address);
  });

  it('omits defaults, and tolerates invalid values', () => {
    const plain = readSearchAddress(new URLSearchParams('q=tea&kind=odd&limit=7&page=x&meta=year&meta=year={}'));
    expect(toSearchLink(plain)).toBe('/search?q=tea');
  });

  it('becomes a filter, in which values of one key are alternatives', () => {
    const address = readSearchAddress(new URLSearchParams('q=a&type=pdf&collection=c&meta=year=2023&meta=year=2024'));
    expect(toFilters(address)).toEqual({
      document_type: { $in: ['pdf'] },
      collection_ids: { $overlap: ['c'] },
      'metadata.year': { $in: [2023, 2024] },
    });
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggled(['b'], 'a')).toEqual(['b', 'a']);
  });
});

describe('marked words', () => {
  const marked = (text: string, terms: readonly string[]) =>
    markTerms(text, terms).flatMap(({ text: piece, isMarked }) => (isMarked ? [piece] : []));

  it('are whole words, or words of a stem, whatever their case and accents', () => {
    expect(marked('Refunded fares: a refund, no prefund.', ['refund', 'refun-'])).toEqual(['Refunded', 'refund']);
    expect(marked('Le Café, les cafés', ['cafe'])).toEqual(['Café']);
  });

  it('preserve every character of the text', () => {
    const text = 'One two\n\nthree two.';
    expect(
      markTerms(text, ['two'])
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});

describe('the count above the passages', () => {
  it.each([
    [0, 1, true, '0 passages'],
    [1, 1, true, '1 passage'],
    [7, 1, true, '7 passages'],
    [10, 1, false, 'Passages 1–10'],
    [3, 11, false, 'Passages 11–13'],
    [1, 21, false, 'Passage 21'],
    [0, 31, false, '0 passages'],
  ])('does not pass %i passages from %i on for all that were found', (count, first, isOnlyPage, shown) => {
    expect(texts.search.found(count, first, isOnlyPage)).toBe(shown);
  });
});

describe('a value to filter by', () => {
  it.each([
    ['2002-02-25T15:43:11Z', '2002-02-25 15:43'],
    ['2024-03-05T09:12:00.000+01:00', '2024-03-05 09:12'],
    ['2017-01-13', '2017-01-13'],
    ['LGPL-2.1-or-later', 'LGPL-2.1-or-later'],
    [2024, '2024'],
  ])('%s is shown as %s', (value, shown) => {
    expect(facetLabel(value)).toBe(shown);
  });
});
