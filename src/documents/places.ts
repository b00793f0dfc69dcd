import type { HeadingSpan, Outline } from './document.ts';
import { pageLabel } from './page-label.ts';

/** The page and headings that apply from an offset of the extracted text onwards. */
export interface Place {
  readonly start: number;
  readonly page: number | null;
  /** Headings above, outermost first. */
  readonly headingPath: readonly string[];
}

/** A range of an extracted text, with the page and headings of its beginning. */
export interface LocatedRange {
  readonly start: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
  readonly places?: readonly Place[];
}

/** The page and headings at an offset of the document within this range. */
export function placeAt(range: LocatedRange, offset: number): Pick<Place, 'page' | 'headingPath'> {
  const { page, headingPath } = lastAtOrBefore(range.places ?? [], offset) ?? range;
  return { page, headingPath };
}

/** `page 3`, or `pages 3-5` for a range over several pages of a document of this type; undefined without pages. */
export function pagesOf({ page, places = [] }: LocatedRange, documentType: string | undefined): string | undefined {
  const pages = [page, ...places.map((place) => place.page)].filter((number) => number !== null);
  return pages.length === 0 ? undefined : pageLabel(documentType, Math.min(...pages), Math.max(...pages));
}

/**
 * All places within a range of the document, starting with its beginning. A single entry means that the range is on one
 * page and in one section.
 */
export function placesWithin(
  range: LocatedRange & { readonly end: number },
  { pages, headings = [] }: Outline,
): Place[] {
  const { start, end } = range;
  const starts = new Set([start]);
  for (const each of [...within(pages, start, end), ...within(headings, start, end)]) starts.add(each.start);
  const pageAt = (offset: number) => lastAtOrBefore(pages, offset)?.number ?? range.page;
  const pathAt = pathsOf(range, headings);
  return [...starts]
    .sort((one, two) => one - two)
    .map((offset) => ({ start: offset, page: pageAt(offset), headingPath: pathAt(offset) }));
}

/** Adds the places to the range, when there are several. */
export function withPlaces<Stretch extends LocatedRange & { readonly text: string; readonly end: number }>(
  range: Stretch,
  outline: Outline | undefined,
): Stretch {
  // The characters of a ready-made or edited chunk do not correspond to its offsets.
  if (outline === undefined || range.text.length !== range.end - range.start) return range;
  const places = placesWithin(range, outline);
  return places.length > 1 ? { ...range, places } : range;
}

/**
 * The path of the range applies to all of it unless sections begin within it. Then each section has its own path; the
 * column names of a table remain at the end of the path of a range that begins within the table.
 */
function pathsOf(range: LocatedRange & { readonly end: number }, headings: readonly HeadingSpan[]) {
  const inside = within(headings, range.start, range.end);
  if (inside.length === 0) return () => range.headingPath;
  const own = lastAtOrBefore(headings, range.start)?.path ?? [];
  const columns = range.headingPath.at(-1);
  const hasColumns =
    columns !== undefined &&
    range.headingPath.length === own.length + 1 &&
    own.every((heading, index) => heading === range.headingPath[index]) &&
    inside.every(({ path }) => !path.includes(columns));
  const first = hasColumns ? range.headingPath : own;
  return (offset: number) => lastAtOrBefore(inside, offset)?.path ?? first;
}

interface Starting {
  readonly start: number;
}

/** The items that begin within a range, without its beginning; items are in order. */
const within = <Item extends Starting>(items: readonly Item[], start: number, end: number): Item[] =>
  items.slice(countUntil(items, start), countUntil(items, end - 1));

/** The last item that begins at or before the offset; items are in order. */
const lastAtOrBefore = <Item extends Starting>(items: readonly Item[], offset: number): Item | undefined =>
  items[countUntil(items, offset) - 1];

/** The number of items that begin at or before the offset, by binary search; items are in order. */
function countUntil(items: readonly Starting[], offset: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && item.start <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
