import type { PagePart } from '../locate-quote.ts';

/** A text run or structure mark of pdf.js. */
type TextItem = { readonly str: string; readonly hasEOL: boolean } | { readonly type: string };

/** The text of a page, with the offset of each text run. */
export interface PageItems {
  readonly text: string;
  readonly runs: readonly { readonly start: number; readonly text: string }[];
}

export function pageItems(items: readonly TextItem[]): PageItems {
  const runs: { start: number; text: string }[] = [];
  let text = '';
  for (const item of items) {
    if (!('str' in item)) continue;
    runs.push({ start: text.length, text: item.str });
    text += item.hasEOL ? `${item.str}\n` : item.str;
  }
  return { text, runs };
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
