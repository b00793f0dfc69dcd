import { joinLines } from '../../../../../pdf-layout/pdf-lines.ts';
import { orderRows } from '../../../../../pdf-layout/pdf-order.ts';
import { placeRuns, type TextItem } from '../../../../../pdf-layout/place-runs.ts';
import type { PagePart } from '../locate-quote.ts';

interface TextRun {
  /** Position among the text items of pdf.js, and among the elements of its text layer. */
  readonly index: number;
  /** Offset in the text of the page. */
  readonly start: number;
  readonly text: string;
}

/** The text of a page in the reading order of the text extraction, and its runs. */
export interface PageItems {
  readonly text: string;
  readonly runs: readonly TextRun[];
}

export function pageItems(items: readonly TextItem[]): PageItems {
  const lines = orderRows(joinLines(placeRuns(items))).flatMap(({ cells }) => cells);
  const runs: TextRun[] = [];
  let text = '';
  for (const run of lines.flatMap((line) => line.runs)) {
    runs.push({ index: run.index, start: text.length, text: run.text });
    text += `${run.text}\n`;
  }
  return { text, runs };
}

/** A character range of the text item with this index. */
export interface RunPart {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** The runs that a range of the page covers. */
export function runsOf({ start, end }: PagePart, { runs }: PageItems): RunPart[] {
  return runs.flatMap((run) => {
    const from = Math.max(start, run.start) - run.start;
    const to = Math.min(end, run.start + run.text.length) - run.start;
    return from < to ? [{ index: run.index, from, to }] : [];
  });
}
