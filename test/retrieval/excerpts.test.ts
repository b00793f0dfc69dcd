import { describe, expect, it } from 'vitest';
import { excerptsOf } from '../../src/retrieval/excerpts.ts';

const filler = (topic: string, count: number) =>
  Array.from({ length: count }, (_, n) => `The ${topic} was inspected in the year ${1900 + n} without a remark.`).join(
    ' ',
  );

describe('the excerpts of search results', () => {
  it('leave texts whole that fit together', () => {
    expect(excerptsOf([filler('harbour', 10), filler('bridge', 10)], 'bridge')).toEqual([undefined, undefined]);
  });

  it('keep the first text whole, and in the later ones the sentences with most words of the query', () => {
    const said = 'The keeper of the lighthouse is paid in herring every Friday.';
    const later = `${filler('lighthouse', 8)} ${said} ${filler('lighthouse', 8)}`;
    const texts = [filler('harbour', 50), later, ...Array.from({ length: 8 }, () => filler('tower', 14))];
    const [first, excerpt, ...rest] = excerptsOf(texts, 'How is the keeper of the lighthouse paid?');
    expect(first).toBeUndefined();
    expect(excerpt).toBeDefined();
    const shown = later.slice(excerpt?.start, excerpt?.end);
    expect(shown).toContain(said);
    for (const [index, span] of rest.entries()) {
      expect(span, String(index)).toBeDefined();
      expect((span?.end ?? 0) - (span?.start ?? 0)).toBeLessThanOrEqual(300);
    }
  });

  it('never cut a short text, nor split a character', () => {
    const short = 'A short remark about herring.';
    const emoji = '🐟'.repeat(500);
    const [, ofShort, ofEmoji] = excerptsOf([filler('harbour', 80), short, emoji], 'herring');
    expect(ofShort).toBeUndefined();
    const shown = emoji.slice(ofEmoji?.start, ofEmoji?.end);
    expect(shown).not.toBe('');
    expect(shown.isWellFormed()).toBe(true);
  });
});
