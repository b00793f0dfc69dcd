import type { LinkedGlyphs } from './link-glyphs.ts';
import type { Area } from './page-glyphs.ts';
import type { RunPart } from './page-items.ts';

/** Control characters stand for glyphs without a known character, which the extracted text omits. */
const WITHOUT_LETTER = /\p{Cc}/u;
const INVISIBLE = /^[\p{Zs}\p{Cf}]*$/u;

/**
 * The areas of the characters, joined along their lines. Undefined if a character has no drawn glyph. `textOf` returns
 * the text of a text item.
 */
export function markedAreas(
  parts: readonly RunPart[],
  textOf: (index: number) => string,
  { glyphs, links }: LinkedGlyphs,
): Area[] | undefined {
  const marked = new Set<number>();
  for (const { index, from, to } of parts) {
    const text = textOf(index);
    const linked = links[index]?.() ?? [];
    for (let at = from; at < to; at++) {
      const glyph = linked[at];
      const letter = text.charAt(at);
      if (glyph === undefined && letter.trim() !== '') return undefined;
      if (glyph !== undefined && !WITHOUT_LETTER.test(letter)) marked.add(glyph);
    }
  }
  const others = glyphs.flatMap(({ text, area }, index) =>
    marked.has(index) || INVISIBLE.test(text) ? [] : [middleOf(area)],
  );
  const areas: Area[] = [];
  for (const index of marked) {
    const area = glyphs[index]?.area;
    if (area === undefined) continue;
    const last = areas.at(-1);
    const joined = last === undefined || !areConsecutive(last, area) ? undefined : union(last, area);
    if (joined === undefined || others.some((middle) => contains(joined, middle))) areas.push(area);
    else areas[areas.length - 1] = joined;
  }
  return areas;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const middleOf = ({ left, top, right, bottom }: Area): Point => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

const contains = ({ left, top, right, bottom }: Area, { x, y }: Point): boolean =>
  left <= x && x <= right && top <= y && y <= bottom;

const union = (one: Area, other: Area): Area => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

/** Maximum offset across the line and maximum gap along it between letters of a line, relative to its height. */
const MAX_SHIFT = 0.1;
const MAX_GAP = 1;

/** Whether two areas follow each other on a horizontal or vertical line. */
function areConsecutive(one: Area, other: Area): boolean {
  const isClose = (thickness: number, shifts: readonly number[], gap: number) =>
    shifts.every((shift) => Math.abs(shift) < MAX_SHIFT * thickness) && gap < MAX_GAP * thickness;
  const across = Math.max(other.left - one.right, one.left - other.right);
  const along = Math.max(other.top - one.bottom, one.top - other.bottom);
  return (
    isClose(one.bottom - one.top, [one.top - other.top, one.bottom - other.bottom], across) ||
    isClose(one.right - one.left, [one.left - other.left, one.right - other.right], along)
  );
}
