import type { OPS } from 'pdfjs-dist';

/** An area of a page, in points of its upright view; `y` grows downwards. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A drawn character: its text, which may be several letters, and its area. */
export interface PlacedGlyph {
  readonly text: string;
  readonly area: Area;
}

/** The properties of a pdf.js font that the layout needs. */
export interface GlyphFont {
  readonly vertical?: boolean;
  readonly isType3Font?: boolean;
  readonly fontMatrix?: Matrix | undefined;
  readonly bbox?: Matrix | undefined;
}

export interface PageOperators {
  readonly operators: { readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] };
  readonly codes: typeof OPS;
  readonly fontOf: (name: string) => GlyphFont | undefined;
  /** Transforms page coordinates to view coordinates. */
  readonly view: Matrix;
}

type Matrix = readonly number[];

interface FontGlyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  readonly vmetric?: readonly number[] | null;
}

const INITIAL = {
  matrix: [1, 0, 0, 1, 0, 0] as Matrix,
  font: {} as GlyphFont,
  size: 0,
  letterSpacing: 0,
  wordSpacing: 0,
  stretch: 1,
  leading: 0,
  rise: 0,
  textMatrix: [1, 0, 0, 1, 0, 0] as Matrix,
  lineX: 0,
  lineY: 0,
  x: 0,
  y: 0,
};
type TextState = typeof INITIAL;

/**
 * Places the characters of a page as its operators draw them. The text runs of pdf.js only have a position for the
 * whole run, which is wrong next to combining characters that have a width.
 */
export function placeGlyphs({ operators, codes, fontOf, view }: PageOperators): PlacedGlyph[] {
  const glyphs: PlacedGlyph[] = [];
  const saved: TextState[] = [];
  let state: TextState = { ...INITIAL, matrix: view };
  const startLine = (x: number, y: number) => Object.assign(state, { lineX: x, lineY: y, x, y });
  const save = () => {
    saved.push(state);
    state = { ...state };
  };
  const restore = () => {
    state = saved.pop() ?? state;
  };
  const setFont = (name: string, size: number) => Object.assign(state, { font: fontOf(name) ?? {}, size });
  for (const [index, code] of operators.fnArray.entries()) {
    const [first, second] = (operators.argsArray[index] ?? []) as readonly unknown[];
    const value = Number(first);
    switch (code) {
      case codes.save:
      case codes.beginGroup:
        save();
        break;
      case codes.restore:
      case codes.endGroup:
      case codes.paintFormXObjectEnd:
        restore();
        break;
      case codes.paintFormXObjectBegin:
        save();
        if (first) state.matrix = multiply(state.matrix, first as Matrix);
        break;
      case codes.transform:
        state.matrix = multiply(state.matrix, operators.argsArray[index] as Matrix);
        break;
      case codes.setCharSpacing:
        state.letterSpacing = value;
        break;
      case codes.setWordSpacing:
        state.wordSpacing = value;
        break;
      case codes.setHScale:
        state.stretch = value / 100;
        break;
      case codes.setLeading:
        state.leading = -value;
        break;
      case codes.setTextRise:
        state.rise = value;
        break;
      case codes.setFont:
        setFont(String(first), Number(second));
        break;
      case codes.setGState:
        for (const [key, font] of first as readonly (readonly [string, readonly [string, number]])[]) {
          if (key === 'Font') setFont(...font);
        }
        break;
      case codes.beginText:
        state.textMatrix = INITIAL.textMatrix;
        startLine(0, 0);
        break;
      case codes.setTextMatrix:
        state.textMatrix = first as Matrix;
        startLine(0, 0);
        break;
      case codes.setLeadingMoveText:
        state.leading = Number(second);
        startLine(state.lineX + value, state.lineY + Number(second));
        break;
      case codes.moveText:
        startLine(state.lineX + value, state.lineY + Number(second));
        break;
      case codes.nextLine:
        startLine(state.lineX, state.lineY + state.leading);
        break;
      case codes.showText:
        glyphs.push(...showText(state, first as readonly (FontGlyph | number)[]));
        break;
    }
  }
  return glyphs;
}

/** Extent of a letter above and below its baseline, in font sizes. */
const ABOVE = 0.8;
const BELOW = -0.2;

/** Places the characters and advances the text position. */
function showText(state: TextState, shown: readonly (FontGlyph | number)[]): PlacedGlyph[] {
  const { font, size, stretch, rise } = state;
  const matrix = multiply(state.matrix, state.textMatrix);
  const unit = size * (font.fontMatrix?.[0] ?? 0.001);
  const [below, above] = extentOf(state);
  const glyphs: PlacedGlyph[] = [];
  for (const glyph of shown) {
    if (typeof glyph === 'number') {
      if (font.vertical) state.y -= (glyph * size) / 1000;
      else state.x -= ((glyph * size) / 1000) * stretch;
      continue;
    }
    const spacing = state.letterSpacing + (glyph.isSpace ? state.wordSpacing : 0);
    const { x } = state;
    const y = state.y + rise;
    if (font.vertical) {
      const [height = -1000, middle = 500, top = 880] = glyph.vmetric ?? [];
      const halfWidth = middle * unit * stretch;
      const upper = y + (ABOVE * 1000 - top) * unit;
      const box = { left: x - halfWidth, right: x + halfWidth, top: upper, bottom: upper + height * unit };
      glyphs.push({ text: glyph.unicode, area: areaOf(matrix, box) });
      state.y += height * unit + spacing;
    } else {
      const width = glyph.width * unit * stretch;
      const box = { left: x, right: x + width, top: y + above, bottom: y + below };
      glyphs.push({ text: glyph.unicode, area: areaOf(matrix, box) });
      state.x += width + spacing * stretch;
    }
  }
  return glyphs;
}

/** Extent below and above the baseline. For Type 3 fonts, often used at size 1, it comes from their bounding box. */
function extentOf({ font, size }: TextState): readonly [number, number] {
  const [, bottom = 0, , top = 0] = font.bbox ?? [];
  const scale = font.fontMatrix?.[3] ?? 0;
  return font.isType3Font && top > bottom && scale !== 0
    ? [bottom * scale * size, top * scale * size]
    : [BELOW * size, ABOVE * size];
}

/** The upright rectangle around a rectangle of text, which the matrix may rotate. */
function areaOf(matrix: Matrix, { left, right, top, bottom }: Area): Area {
  const corners = [left, right].flatMap((x) => [apply(matrix, x, top), apply(matrix, x, bottom)]);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

function apply([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

function multiply(outer: Matrix, [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix): Matrix {
  const [oa = 1, ob = 0, oc = 0, od = 1] = outer;
  return [oa * a + oc * b, ob * a + od * b, oa * c + oc * d, ob * c + od * d, ...apply(outer, e, f)];
}
