import type { Source } from './citation.ts';

/** Numbers each source once, from 1, in the order they are added; `[n]` in an answer means the n-th. */
export interface SourceList {
  /** The source's number: its old one when it is there already. */
  add(source: Source): number;
  get(number: number): Source | undefined;
  readonly size: number;
}

/**
 * What makes two sources the same: a chunk is one by its id, however it was found; of a document or page, each stretch
 * read; a search result by its page, whichever search found it. Of another version of its document, it is another source.
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
  };
  for (const source of initial) list.add(source);
  return list;
}
