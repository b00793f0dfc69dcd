import { analyseForIndex } from '../../full-text/analyse.ts';
import type { Reading, ResolvedFilter } from '../search/read-snapshot.ts';
import type { TermIndex } from './term-index.ts';

/** The visible chunks of the corpus with their texts for the index: a generated context precedes a chunk's own text. */
export const CHUNK_TEXTS = `
  select c.key, d.title, c.heading_path, coalesce(c.context || '\n', '') || c.text as text
  from chunks c join documents d on d.key = c.document_key`;

/** The terms of a few chunks, in memory. */
export type Vocabulary = Pick<TermIndex, 'count' | 'seek'>;

/** Analysing as many texts takes about as long as two walks through the vocabulary of a large corpus. */
const MAX_CHUNKS = 48;

/**
 * The terms of the chunks that pass a filter, when they are few, e.g. those of one document: most words are missing in
 * them, and usually similar ones as well, which shows here without a walk through the index.
 */
export function vocabularyOf(reading: Reading, filter: ResolvedFilter): Vocabulary | undefined {
  const { keys } = filter.keys;
  if (filter.isPast || keys.length > MAX_CHUNKS) return undefined;
  filter.vocabulary ??= countTerms(reading, keys);
  return filter.vocabulary;
}

function countTerms(reading: Reading, keys: readonly number[]): Vocabulary {
  const counts = new Map<string, number>();
  const rows = reading.rows(`${CHUNK_TEXTS} where c.key in (select value from json_each(?))`, JSON.stringify(keys));
  for (const [, title, headingPath, text] of rows) {
    const headings = JSON.parse(String(headingPath)) as string[];
    const { title: heading, body } = analyseForIndex({
      title: String(title),
      headingPath: headings,
      text: String(text),
    });
    for (const term of `${heading} ${body}`.split(' ')) if (term !== '') counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const compare = [...counts.keys()].some((term) => SURROGATE.test(term)) ? byCodePoint : byCodeUnit;
  const sorted = [...counts.keys()].sort(compare);
  return {
    count: (term) => counts.get(term) ?? 0,
    seek(from) {
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compare(sorted[middle] ?? '', from) < 0) low = middle + 1;
        else high = middle;
      }
      return sorted[low];
    },
  };
}

const SURROGATE = /[\ud800-\udfff]/;

const byCodeUnit = (one: string, two: string): number => (one < two ? -1 : Number(one > two));

// Code point order equals the order of UTF-8 bytes.
const byCodePoint = (one: string, two: string): number => Buffer.compare(Buffer.from(one), Buffer.from(two));
