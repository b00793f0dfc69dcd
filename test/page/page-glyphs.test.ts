import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { describe, expect, it } from 'vitest';
import { type GlyphFont, placeGlyphs } from '../../src/page/app/views/source/pdf/page-glyphs.ts';

/** The view of a page 200 points high. */
const VIEW = [1, 0, 0, -1, 0, 200];
const FONTS: Record<string, GlyphFont> = {
  upright: {},
  vertical: { vertical: true },
  drawn: { isType3Font: true, fontMatrix: [0.01, 0, 0, 0.01, 0, 0], bbox: [0, -20, 100, 80] },
};

const glyph = (unicode: string, width = 500) => ({ unicode, width, isSpace: unicode === ' ' });

type Operator = readonly [keyof typeof OPS, ...unknown[]];

/** The text and the area of each glyph, as [left, top, right, bottom]. */
const placed = (...operators: readonly Operator[]) =>
  placeGlyphs({
    operators: {
      fnArray: operators.map(([name]) => OPS[name]),
      argsArray: operators.map(([, ...args]) => args),
    },
    codes: OPS,
    fontOf: (name) => FONTS[name],
    view: VIEW,
  }).map(({ text, area }) => [text, ...[area.left, area.top, area.right, area.bottom].map((each) => Math.round(each))]);

describe('the characters of a PDF page', () => {
  it('follow each other by their widths, the spacing and the kerning', () => {
    expect(
      placed(
        ['beginText'],
        ['setFont', 'upright', 20],
        ['setCharSpacing', 1],
        ['setWordSpacing', 3],
        ['moveText', 10, 100],
        ['showText', [glyph('a'), glyph(' '), -100, glyph('b')]],
      ),
    ).toEqual([
      ['a', 10, 84, 20, 104],
      [' ', 21, 84, 31, 104],
      ['b', 37, 84, 47, 104],
    ]);
  });

  it('keep the width of a combining character', () => {
    const [, , after] = placed(
      ['setFont', 'upright', 10],
      ['setTextMatrix', [1, 0, 0, 1, 50, 50]],
      ['showText', [glyph('a'), glyph('\u0301', 300), glyph('b')]],
    );
    expect(after).toEqual(['b', 58, 142, 63, 152]);
  });

  it('move with lines, stretched text, forms and the graphics state', () => {
    expect(
      placed(
        ['save'],
        ['transform', 2, 0, 0, 2, 10, 0],
        ['paintFormXObjectBegin', [1, 0, 0, 1, 5, 0], null],
        ['beginText'],
        ['setFont', 'upright', 10],
        ['setHScale', 50],
        ['setLeadingMoveText', 0, -12],
        ['nextLine'],
        ['showText', [glyph('a')]],
        ['endText'],
        ['paintFormXObjectEnd'],
        ['restore'],
        ['beginText'],
        ['setGState', [['Font', ['upright', 10]]]],
        ['setTextRise', 5],
        ['showText', [glyph('b')]],
      ),
    ).toEqual([
      ['a', 20, 232, 25, 252],
      ['b', 0, 187, 5, 197],
    ]);
  });

  it('are stacked in vertical text', () => {
    const character = (unicode: string) => ({ ...glyph(unicode, 1000), vmetric: [-1000, 500, 880] });
    expect(
      placed(
        ['setFont', 'vertical', 10],
        ['setTextMatrix', [1, 0, 0, 1, 100, 150]],
        ['showText', [character('縦'), character('書')]],
      ),
    ).toEqual([
      ['縦', 95, 51, 105, 61],
      ['書', 95, 61, 105, 71],
    ]);
  });

  it('have the height of their font where it consists of drawings', () => {
    expect(
      placed(['setFont', 'drawn', 10], ['setTextMatrix', [1, 0, 0, 1, 0, 100]], ['showText', [glyph('a', 50)]]),
    ).toEqual([['a', 0, 92, 5, 102]]);
  });
});
