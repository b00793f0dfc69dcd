import type { Line } from './pdf-lines.ts';

/** Lines of about one height, from the left. */
export interface LinesAtHeight {
  readonly lines: readonly Line[];
  readonly y: number;
}

/**
 * Joins the two lines of a cell with the cells beside it that are centred between them, as many programs set the rows of
 * tables. Further rows must be farther away than the two lines from each other.
 */
export function joinCentredCells(rows: readonly LinesAtHeight[]): LinesAtHeight[] {
  const joined: LinesAtHeight[] = [];
  for (let index = 0; index < rows.length; index++) {
    const [before, upper, middle] = [rows[index - 1], rows[index], rows[index + 1]];
    const [lower, after] = [rows[index + 2], rows[index + 3]];
    if (upper === undefined) break;
    const cell = middle === undefined || lower === undefined ? undefined : cellOf(upper, middle, lower);
    const height = lower === undefined ? 0 : upper.y - lower.y;
    const isFar = (above: number, below: number) => above - below > 1.15 * height;
    const isApart =
      (before === undefined || isFar(before.y, upper.y)) &&
      (after === undefined || lower === undefined || isFar(lower.y, after.y));
    if (cell === undefined || middle === undefined || !isApart) {
      joined.push(upper);
      continue;
    }
    joined.push({ lines: [cell, ...middle.lines], y: middle.y });
    index += 2;
  }
  return joined;
}

const WORD = /\p{L}{2}/u;

/** The cell of two lines, if the row in the middle is centred between them and beside them. */
function cellOf(upper: LinesAtHeight, middle: LinesAtHeight, lower: LinesAtHeight): Line | undefined {
  const [first, ...others] = upper.lines;
  const [second, ...more] = lower.lines;
  if (first === undefined || second === undefined || others.length > 0 || more.length > 0) return undefined;
  // The numbers of a fraction are no cell.
  if (!WORD.test(first.text) || !WORD.test(second.text)) return undefined;
  const height = upper.y - lower.y;
  const isCentred = Math.abs((upper.y + lower.y) / 2 - middle.y) < 0.15 * height;
  const isAlike = first.isBold === second.isBold && Math.abs(first.size - second.size) < 0.05 * first.size;
  const isOneCell = isAlike && Math.abs(first.x - second.x) < 0.3 * first.size && height < 1.6 * first.size;
  const right = Math.max(first.right, second.right);
  const isBeside = middle.lines.every((line) => line.x > right || line.right < first.x);
  if (!isCentred || !isOneCell || !isBeside) return undefined;
  return {
    ...first,
    text: `${first.text} ${second.text}`,
    right,
    y: middle.y,
    isMono: first.isMono && second.isMono,
    runs: [...first.runs, ...second.runs],
  };
}
