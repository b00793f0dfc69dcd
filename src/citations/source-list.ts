import type { Source } from './citation.ts';

/** Numbers distinct sources from 1 in order of insertion; `[n]` in an answer refers to the n-th. */
export interface SourceList {
  /** Adds a source, or finds it, and returns its number. */
  add(source: Source): number;
  get(number: number): Source | undefined;
  readonly size: number;
  /** The sources with their numbers, from number `first` on. */
  numbered(first?: number): Iterable<readonly [number: number, source: Source]>;
}

/**
 * Identity of a source: the chunk id; document or page plus the section that was read; the page of a search result.
 * Each version of a document is a different source.
 */
export function sourceKey(source: Source): string {
  switch (source.kind) {
    case 'chunk':
      return `chunk:${source.chunk.id}@${source.chunk.version}`;
    case 'document':
      return source.passage === undefined
        ? `document:${source.document.id}@${source.document.version}`
        : `document:${source.document.id}@${source.document.version}:${source.passage.start}:${source.passage.text.length}`;
    case 'graph':
      return `graph:${source.hit.id}`;
    case 'web':
      return source.page.kind === 'result'
        ? `result:${source.page.id}`
        : `page:${source.page.id}:${source.page.start}:${source.page.text.length}`;
  }
}

export function createSourceList(initial: Iterable<Source> = []): SourceList {
  const sources: Source[] = [];
  const numbers = new Map<string, number>();
  const list: SourceList = {
    add(source) {
      const key = sourceKey(source);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      sources.push(source);
      numbers.set(key, sources.length);
      return sources.length;
    },
    get: (number) => sources[number - 1],
    get size() {
      return sources.length;
    },
    *numbered(first = 1) {
      for (const [index, source] of sources.entries()) if (index + 1 >= first) yield [index + 1, source];
    },
  };
  for (const source of initial) list.add(source);
  return list;
}
