import { describe, expect, it } from 'vitest';
import { isSameText, locateQuote, type PageText } from '../../src/page/app/views/source/locate-quote.ts';

const pagesOf = (...texts: readonly string[]): PageText[] => texts.map((text, index) => ({ number: index + 1, text }));

/** The words that would be highlighted, page by page. */
function marked(pages: readonly PageText[], quote: string, page?: number, context?: { before: string; after: string }) {
  const located = locateQuote(pages, quote, page, context);
  if (located.kind !== 'found') return located.kind;
  return located.parts.map((part) => {
    const text = pages.find(({ number }) => number === part.page)?.text ?? '';
    return [part.page, text.slice(part.start, part.end)];
  });
}

describe('the place of a quote in the text of a page', () => {
  it.each([
    ['as it is', 'One. Two words here. Three.', 'Two words here.', 'Two words here.'],
    ['over lines', 'One. Two\nwords  here. Three.', 'Two words here.', 'Two\nwords  here.'],
    ['hyphenated at a line end', 'The inter-\nnational board.', 'international board', 'inter-\nnational board'],
    ['hyphenated in the quote only', 'A well known case.', 'well-\nknown', 'well known'],
    ['with soft hyphens', 'The inter\u00adnational board.', 'international', 'inter\u00adnational'],
    ['with a ligature', 'The o\ufb03ce of \ufb01nance.', 'office of finance', 'o\ufb03ce of \ufb01nance'],
    ['over the cells of a table', 'Havdis\n07:10\n07:45\nTerna', '| Havdis | 07:10 | 07:45 |', 'Havdis\n07:10\n07:45'],
    ['in capitals', 'INCOME STATEMENT of 2024', 'Income statement', 'INCOME STATEMENT'],
    ['with an accent written apart', 'Cafe\u0301 society', 'caf\u00e9', 'Cafe\u0301'],
    ['beyond the basic plane', 'Ships 🙂 sail 🚢 far', 'sail 🚢 far', 'sail 🚢 far'],
    ['in Arabic presentation forms', '\ufe8e\ufedf \ufee1', '\u0627\u0644\u0645', '\ufe8e\ufedf \ufee1'],
    [
      'with an accent before its letter, as TeX writes it',
      'Joachim Sch\u00a8\noberl wrote',
      'Sch\u00f6berl',
      'Sch\u00a8\noberl',
    ],
    ['without the dots of a table of contents', '1 Fares . . . . . . 3', '1 Fares \u2026 3', '1 Fares . . . . . . 3'],
    ['without spaces, as in Chinese', '公司的\n收入增加了', '收入增加', '收入增加'],
  ])('is found %s', (_, text, quote, expected) => {
    expect(marked(pagesOf(text), quote, 1)).toEqual([[1, expected]]);
  });

  it('is on the cited page, although other pages contain the same text', () => {
    const pages = pagesOf('Income rose.', 'Later, income rose.', 'Income rose.');
    expect(marked(pages, 'Income rose.', 2)).toEqual([[2, 'income rose.']]);
    expect(marked(pages, 'Income rose.')).toBe('ambiguous');
  });

  it('continues over a page break', () => {
    const pages = pagesOf('First. The board', 'decided to sell. Last.');
    const both = [
      [1, 'The board'],
      [2, 'decided to sell.'],
    ];
    expect(marked(pages, 'The board decided to sell.', 1)).toEqual(both);
    expect(marked(pages, 'The board decided to sell.', 2)).toEqual(both);
    expect(marked(pagesOf('One', 'two', 'three'), 'One two three', 1)).toEqual([
      [1, 'One'],
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  it('is undefined when the words are missing, on another page only, or empty', () => {
    expect(marked(pagesOf('Some words.'), 'other words', 1)).toBe('not_found');
    expect(marked(pagesOf('Some words.', 'Nothing.', 'Other words.'), 'Other words.', 1)).toBe('not_found');
    expect(marked(pagesOf('Some words.'), ' - ', 1)).toBe('not_found');
    expect(marked([], 'words', 1)).toBe('not_found');
  });

  it('is undefined when the page contains the words several times', () => {
    const table = pagesOf('North 120 kroner. South 120 kroner. East 120 kroner.');
    expect(locateQuote(table, '120 kroner', 1)).toEqual({ kind: 'ambiguous', count: 3 });
    expect(marked(table, '120 kroner', 1, { before: '', after: '' })).toBe('ambiguous');
    expect(marked(table, '120 kroner', 1, { before: 'of another text ', after: ' that is not here' })).toBe(
      'ambiguous',
    );
  });

  it('is identified among repetitions by its context', () => {
    const text = 'Fares in the north are 120 kroner. Fares in the south are 120 kroner. Children pay less.';
    const context = { before: '120 kroner. Fares in the south are ', after: '. Children pay' };
    const located = locateQuote(pagesOf(text), '120 kroner', 1, context);
    expect(located).toEqual({
      kind: 'found',
      parts: [{ page: 1, start: text.lastIndexOf('120'), end: text.lastIndexOf('120') + 10 }],
    });
  });

  it('is identified among repeated paragraphs if only one has the whole context', () => {
    const paragraph = 'In the north the fares are 120 kroner. Children pay less.';
    const text = `${paragraph} Dogs pay. ${paragraph} Bicycles are free.`;
    const before = 'In the north the fares are ';
    const found = (after: string) => {
      const located = locateQuote(pagesOf(text), '120 kroner', 1, { before, after });
      return located.kind === 'found' ? located.parts[0]?.start : located.kind;
    };
    expect(found('. Children pay less. Dogs')).toBe(text.indexOf('120'));
    expect(found('. Children pay less. Bicycles')).toBe(text.lastIndexOf('120'));
    expect(found('. Children pay less. Cats')).toBe('ambiguous');
    expect(found('. Children pay less.')).toBe('ambiguous');
  });

  it('is compared with the normalisation of the search', () => {
    expect(isSameText('The o\ufb03ce, inter-\nnational', 'the office, international')).toBe(true);
    expect(isSameText('the office', 'an office')).toBe(false);
  });
});
