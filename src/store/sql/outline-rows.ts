import type { HeadingSpan, Outline, PageSpan } from '../../documents/document.ts';
import type { ExtractedText } from '../corpus.ts';

export interface OutlineRow {
  readonly pages: string;
  readonly headings: string;
}

/**
 * `[start, number of headings shared with the previous path, …other headings]`: most sections differ by one heading.
 */
type WrittenHeading = readonly [start: number, shared: number, ...others: string[]];

export function toHeadingsJson(headings: readonly HeadingSpan[] = []): string {
  let before: readonly string[] = [];
  const written = headings.map(({ start, path }): WrittenHeading => {
    const different = path.findIndex((heading, index) => heading !== before[index]);
    const shared = different === -1 ? path.length : different;
    before = path;
    return [start, shared, ...path.slice(shared)];
  });
  return JSON.stringify(written);
}

function readHeadings(json: string): HeadingSpan[] {
  let before: readonly string[] = [];
  return (JSON.parse(json) as WrittenHeading[]).map(([start, shared, ...others]) => {
    before = [...before.slice(0, shared), ...others];
    return { start, path: before };
  });
}

export function toOutline({ pages, headings }: OutlineRow): Outline {
  const read = readHeadings(headings);
  return { pages: JSON.parse(pages) as PageSpan[], ...(read.length > 0 && { headings: read }) };
}

export const toExtractedText = (row: OutlineRow & { readonly text: string }): ExtractedText => ({
  text: row.text,
  ...toOutline(row),
});
