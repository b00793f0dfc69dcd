import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, readSourceAddress } from '../../src/page/app/views/source/quote.ts';
import { factsOf } from '../../src/page/app/views/source/quote-facts.ts';
import {
  blocksOf,
  contradicts,
  join,
  segmentsOf,
  spanAround,
  spanBeside,
  type TextWindow,
} from '../../src/page/app/views/source/text-window.ts';

const windowOf = (text: string, start = 0, pages: TextWindow['pages'] = []): TextWindow => ({
  start,
  end: start + text.length,
  text,
  pages,
});

describe('the address of a source view', () => {
  const read = (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    return readSourceAddress(pathname, searchParams);
  };

  it('names a document, its version and any number of quotes', () => {
    expect(read('/d/abc')).toEqual({ documentId: 'abc', quotes: [] });
    expect(read('/d/abc@v2?q=3-7&q=10-12')).toEqual({
      documentId: 'abc',
      version: 'v2',
      quotes: [
        { start: 3, end: 7 },
        { start: 10, end: 12 },
      ],
    });
    expect(read('/d/abc%40v2').version).toBe('v2');
  });

  it('ignores invalid pairs of offsets', () => {
    expect(read('/d/abc?q=7&q=-1-3&q=a-b&q=1-2x').quotes).toEqual([]);
    expect(read('/d/%E0%A4%A').documentId).toBe('%E0%A4%A');
  });

  it('detects a quote outside the text', () => {
    expect(isWithin({ start: 0, end: 5 }, 5)).toBe(true);
    expect(isWithin({ start: 0, end: 6 }, 5)).toBe(false);
    expect(isWithin({ start: 3, end: 3 }, 5)).toBe(false);
  });
});

describe('a loaded range of text', () => {
  it('is split into blocks and marked pieces that add up to the text', () => {
    const text = fc
      .array(fc.constantFrom('word ', '\n', '\n\n', '🙂', 'a'.repeat(700), '\r\n'), { maxLength: 60 })
      .map((parts) => parts.join(''));
    const quotes = fc.array(fc.tuple(fc.nat(9_000), fc.nat(500)), { maxLength: 4 });
    fc.assert(
      fc.property(text, fc.nat(5_000), quotes, (content, start, spans) => {
        const given = spans.map(([from, length]) => ({ start: from, end: from + length }));
        const segments = blocksOf(windowOf(content, start)).flatMap((block) =>
          segmentsOf(block.text, block.start, given),
        );
        expect(segments.map((segment) => segment.text).join('')).toBe(content);
        for (const [index, quote] of given.entries()) {
          const marked = segments.filter((segment) => segment.quotes.includes(index)).map((segment) => segment.text);
          expect(marked.join('')).toBe(content.slice(Math.max(0, quote.start - start), Math.max(0, quote.end - start)));
        }
      }),
    );
  });

  it('keeps its blocks when earlier text is loaded', () => {
    const text = Array.from({ length: 900 }, (_, line) => `Line ${line} of the text.\n`).join('');
    const starts = (from: number) => blocksOf(windowOf(text.slice(from), from)).map(({ start }) => start);
    expect(starts(0)).toEqual(expect.arrayContaining(starts(5_000).slice(1)));
    expect(starts(5_000).length).toBeGreaterThan(3);
  });

  it('starts a block at each page', () => {
    const pages = [
      { number: 1, start: 0, end: 10 },
      { number: 2, start: 12, end: 20 },
    ];
    expect(blocksOf(windowOf('first page\n\nsecond p', 0, pages))).toEqual([
      { start: 0, text: 'first page\n\n', page: 1 },
      { start: 12, text: 'second p', page: 2 },
    ]);
  });

  it('is loaded around the quote, and next to what is shown', () => {
    expect(spanAround(undefined, 50)).toEqual({ start: 0, end: 50 });
    const around = spanAround({ start: 500_000, end: 500_100 }, 1_000_000);
    expect(around.start).toBeLessThan(500_000);
    expect(around.end).toBeGreaterThan(500_100);
    expect(around.end - around.start).toBeLessThan(20_000);
    expect(spanAround({ start: 0, end: 1_000_000 }, 1_000_000).end).toBeLessThan(300_000);
    expect(spanBeside('before', { start: 0, end: 10 }, 20)).toBeUndefined();
    expect(spanBeside('after', { start: 0, end: 20 }, 20)).toBeUndefined();
    expect(spanBeside('after', { start: 0, end: 10 }, 20)).toEqual({ start: 10, end: 20 });
  });

  it('is limited in size', () => {
    const text = 'A line of the text.\n'.repeat(60_000);
    let window = windowOf(text.slice(0, 16_000));
    for (let next = spanBeside('after', window, text.length); next; next = spanBeside('after', window, text.length)) {
      window = join(window, windowOf(text.slice(next.start, next.end), next.start), 'second');
      expect(window.text).toBe(text.slice(window.start, window.end));
      expect(window.text.length).toBeLessThanOrEqual(300_000);
    }
    expect(window.end).toBe(text.length);
    for (let next = spanBeside('before', window, text.length); next; next = spanBeside('before', window, text.length)) {
      window = join(windowOf(text.slice(next.start, next.end), next.start), window, 'first');
      expect(window.text).toBe(text.slice(window.start, window.end));
      expect(window.text.length).toBeLessThanOrEqual(300_000);
    }
    expect(window.start).toBe(0);
  });

  it('reports when the text at a quote’s offsets differs from it', () => {
    const window = windowOf('words of a text', 100);
    expect(contradicts(window, { start: 100, end: 105, text: 'words' })).toBe(false);
    expect(contradicts(window, { start: 100, end: 105, text: 'wordy' })).toBe(true);
    expect(contradicts(window, { start: 100, end: 105, text: 'word' })).toBe(true);
    expect(contradicts(window, { start: 98, end: 105, text: '? words' })).toBe(false);
    expect(contradicts(window, { start: 100, end: 105 })).toBe(false);
  });
});

describe('the location of a quote', () => {
  it('is the section in which it stands, also where a passage goes on into the next one', () => {
    const text = 'Dear all\n\nThe crane is late.\n\nprices.csv\n\nboom 4';
    const headings = [{ start: 30, heading_path: ['prices.csv'] }];
    const locate = (words: string) => {
      const start = text.indexOf(words);
      return factsOf({ start, end: start + words.length }, { start: 0, end: text.length, text, pages: [], headings });
    };
    expect(locate('The crane is late.').headingPath).toEqual([]);
    expect(locate('boom 4').headingPath).toEqual(['prices.csv']);
  });
});
