import type { PagePart } from '../locate-quote.ts';

/** A text run or structure mark of pdf.js. */
type TextItem =
  | {
      readonly str: string;
      readonly hasEOL: boolean;
      readonly width: number;
      readonly transform: readonly number[];
    }
  | { readonly type: string };

/** A text run; lengths are in points, positions are measured along its line and across it. */
export interface PlacedRun {
  /** Offset in the text of the page. */
  readonly start: number;
  readonly text: string;
  readonly along: number;
  readonly across: number;
  readonly width: number;
  readonly size: number;
}

/** The text of a page, with the place of each text run. */
export interface PageItems {
  readonly text: string;
  readonly runs: readonly PlacedRun[];
}

export function pageItems(items: readonly TextItem[]): PageItems {
  const runs: PlacedRun[] = [];
  let text = '';
  for (const item of items) {
    if (!('str' in item)) continue;
    runs.push({ start: text.length, text: item.str, ...placeOf(item) });
    text += item.hasEOL ? `${item.str}\n` : item.str;
  }
  return { text, runs };
}

function placeOf({ width, transform }: { readonly width: number; readonly transform: readonly number[] }) {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  const length = Math.hypot(a, b) || 1;
  const [right, up] = [a / length, b / length];
  return { along: x * right + y * up, across: y * right - x * up, width, size: Math.hypot(c, d) || length };
}

/** A character range of one run. */
export interface RunPart {
  readonly run: number;
  readonly from: number;
  readonly to: number;
}

/** The runs that a range of the page covers. */
export function runsOf({ start, end }: PagePart, { runs }: PageItems): RunPart[] {
  return runs.flatMap((run, index) => {
    const from = Math.max(start, run.start) - run.start;
    const to = Math.min(end, run.start + run.text.length) - run.start;
    return from < to ? [{ run: index, from, to }] : [];
  });
}
