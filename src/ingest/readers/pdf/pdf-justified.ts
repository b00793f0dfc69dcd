import type { Row } from '../../../pdf-layout/pdf-order.ts';

/** The left and right edge of most rows of a region of a page, in points. */
export interface Edges {
  readonly left: number;
  readonly right: number;
}

/** How far, in letter heights, the edges of a line may lie from those of its column, and its gaps from each other. */
const TOLERANCE = 0.35;
/** A first line may be indented by this many letter heights. */
const MAX_INDENT = 3;
/** Largest distance of two baselines of a paragraph, in letter heights. */
const MAX_LEADING = 2;

/**
 * Joins the words of justified lines whose spaces are as wide as the gap between cells, which happens in narrow columns
 * without hyphenation. Such a line fills its column, has one word in each cell and equal gaps, and stands directly
 * below or above a line of running text. `edgesOf`: the edges of each region.
 */
export function joinJustifiedLines(rows: readonly Row[], edgesOf: ReadonlyMap<number, Edges>): Row[] {
  const joined: Row[] = [];
  for (const [index, row] of rows.entries()) {
    const edges = edgesOf.get(row.region);
    const isText =
      edges !== undefined &&
      isJustified(row, edges) &&
      isInText({ row, before: joined.at(-1), after: rows[index + 1], edges });
    joined.push(isText ? asOneCell(row) : row);
  }
  return joined;
}

function isJustified({ cells, x, right, size }: Row, edges: Edges): boolean {
  if (cells.length < 2 || Math.abs(right - edges.right) > TOLERANCE * size) return false;
  if (x < edges.left - TOLERANCE * size || x > edges.left + MAX_INDENT * size) return false;
  if (cells.some(({ text }) => /\s/.test(text))) return false;
  const words = cells.filter(({ text }) => /\p{L}/u.test(text)).length;
  if (words < Math.max(2, cells.length / 2)) return false;
  const gaps = cells.slice(1).map((cell, index) => cell.x - (cells[index]?.right ?? 0));
  return Math.max(...gaps) - Math.min(...gaps) <= TOLERANCE * size;
}

interface Neighbourhood {
  readonly row: Row;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly edges: Edges;
}

/** Whether a line of the same paragraph precedes or follows the row, and no other row of a table. */
function isInText({ row, before, after, edges }: Neighbourhood): boolean {
  const isNear = (other: Row | undefined): other is Row =>
    other !== undefined && other.region === row.region && Math.abs(other.y - row.y) < MAX_LEADING * row.size;
  const isText = (other: Row | undefined): other is Row =>
    isNear(other) && other.cells.length === 1 && Math.abs(other.size - row.size) < 0.1 * row.size;
  const isOfTable = (other: Row | undefined) => isNear(other) && other.cells.length > 1 && !isJustified(other, edges);
  if (isOfTable(before) || isOfTable(after)) return false;
  if (isText(before) && before.right >= edges.right - TOLERANCE * row.size) return true;
  return isText(after) && /^\p{Ll}/u.test(after.cells[0]?.text ?? '');
}

function asOneCell(row: Row): Row {
  const [first] = row.cells;
  if (first === undefined) return row;
  const text = row.cells.map((cell) => cell.text).join(' ');
  const runs = row.cells.flatMap((cell) => cell.runs);
  return { ...row, cells: [{ ...first, text, right: row.right, isBold: row.isBold, runs }] };
}
