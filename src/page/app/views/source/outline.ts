import type { ChunkRecord } from './source-data.ts';

/** A heading, and the position of the first chunk below it. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
}

/** The heading path of a table's chunks ends with its column names, which are not headings. */
const isTableHead = (heading: string): boolean => heading.includes(' | ');

/** The headings of consecutive chunks, each once at the start of its section. */
export function outlineOf(chunks: readonly ChunkRecord[]): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let above: readonly string[] = [];
  for (const { heading_path: whole, start, end, page } of chunks) {
    const path = whole.filter((heading) => !isTableHead(heading));
    const shared = path.findIndex((heading, depth) => heading !== above[depth]);
    const from = shared < 0 ? path.length : shared;
    for (const [index, title] of path.slice(from).entries()) {
      entries.push({ title, depth: from + index, start, end, page });
    }
    above = path;
  }
  return entries;
}
