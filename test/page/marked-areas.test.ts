import { describe, expect, it } from 'vitest';
import { linkGlyphs } from '../../src/page/app/views/source/pdf/link-glyphs.ts';
import { markedAreas } from '../../src/page/app/views/source/pdf/marked-areas.ts';

/** Glyphs of 10 by 20 points beside each other. */
const row = (letters: readonly string[]) =>
  letters.map((text, index) => ({ text, area: { left: index * 10, top: 0, right: index * 10 + 10, bottom: 20 } }));

describe('the glyphs of text runs', () => {
  const links = (runs: readonly string[], letters: readonly string[]) =>
    linkGlyphs(runs, row(letters)).map((find) => find());

  it('are found letter by letter, ligatures and accents included', () => {
    expect(links(['final é'], ['ﬁ', 'n', 'a', 'l', ' ', 'e', '\u0301'])).toEqual([[0, 0, 1, 2, 3, undefined, 5]]);
  });

  it('are drawn backwards in right-to-left scripts, and forwards for words of other scripts', () => {
    expect(links(['אבג ab דה'], ['ה', 'ד', ' ', 'a', 'b', ' ', 'ג', 'ב', 'א'])).toEqual([
      [8, 7, 6, undefined, 3, 4, undefined, 1, 0],
    ]);
  });

  it('come after glyphs outside the page, and without brackets that a run has lost', () => {
    expect(links(['abc', 'd'], ['x', 'y', 'a', '<', 'b', 'c', '>', 'd'])).toEqual([[2, 4, 5], [7]]);
  });

  it('are missing where a run has other letters', () => {
    expect(links(['abc', 'de'], ['a', 'd', 'e'])).toEqual([[], [1, 2]]);
  });
});

describe('the marked areas', () => {
  const marked = (text: string, glyphs: ReturnType<typeof row>, from: number, to: number) =>
    markedAreas([{ index: 0, from, to }], () => text, { glyphs, links: linkGlyphs([text], glyphs) });

  it('are those of the quoted letters, joined', () => {
    expect(marked('ab cd', row(['a', 'b', ' ', 'c', 'd']), 1, 4)).toEqual([
      { left: 10, top: 0, right: 40, bottom: 20 },
    ]);
  });

  it('leave out letters between them that are not quoted', () => {
    expect(marked('a\u0000b', row(['a', '\u0000', 'b']), 0, 3)).toEqual([
      { left: 0, top: 0, right: 10, bottom: 20 },
      { left: 20, top: 0, right: 30, bottom: 20 },
    ]);
  });

  it('are one for each line', () => {
    const glyphs = row(['a', 'b']).map(({ text, area }, line) => ({
      text,
      area: { ...area, left: line * 5, right: 10, top: line * 24, bottom: line * 24 + 20 },
    }));
    expect(marked('ab', glyphs, 0, 2)).toHaveLength(2);
  });

  it('are unknown if a letter is not drawn', () => {
    expect(marked('ab', row(['a']), 0, 2)).toBeUndefined();
  });
});
