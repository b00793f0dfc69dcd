import { LruMap } from '../../../shared/lru-map.ts';
import { analyseForIndex } from '../../full-text/analyse.ts';
import type { Reading, ResolvedFilter } from '../search/read-snapshot.ts';
import { type Postings, toPostings } from './postings.ts';
import type { TermIndex } from './term-index.ts';

/** The visible chunks of the corpus with their texts for the index: a generated context precedes a chunk's own text. */
export const CHUNK_TEXTS = `
  select c.key, d.title, c.heading_path, coalesce(c.context || '\n', '') || c.text as text
  from chunks c join documents d on d.key = c.document_key`;

/** The terms of a few chunks, in memory. */
export interface Vocabulary extends Pick<TermIndex, 'count' | 'postings' | 'seek'> {
  /** Whether only this is searched for similar words. False if the filter's first queries had to use the index. */
  readonly isWhole: boolean;
  /** Corrections of words that the chunks lack, by term and word. */
  readonly corrections: LruMap<string, readonly string[]>;
}

/** Analysing this many texts takes about as long as the walks through the index for one query. */
const CHUNKS_PER_QUERY = 128;
const MAX_CHUNKS = 1_000;
/** Limit per filter; several are cached per connection. Texts without spaces have many more terms than others. */
const MAX_BYTES = 16_000_000;
const BYTES_PER_TERM = 160;
const BYTES_PER_POSTING = 12;
/** Words whose corrections are cached, of some 200 bytes each. */
const MAX_CORRECTIONS = 1_000;

/**
 * The terms of the chunks that pass a filter, if the chunks are few, e.g. those of one document. Most words, and
 * usually similar ones as well, are missing in them, which this vocabulary shows without a walk through the index. With
 * more chunks, the analysis pays off only for a filter that is used repeatedly: it is made once the walks of the
 * filter's queries have taken about as long.
 */
export function vocabularyOf(reading: Reading, filter: ResolvedFilter): Vocabulary | undefined {
  if (filter.isPast || filter.hasManyTerms || filter.keys.size > MAX_CHUNKS) return undefined;
  const { keys } = filter.keys;
  filter.queries = (filter.queries ?? 0) + 1;
  if (!isWorthReading(keys, filter.queries)) return undefined;
  filter.vocabulary ??= readTerms(reading, keys);
  filter.hasManyTerms = filter.vocabulary === undefined;
  return filter.vocabulary;
}

/** Whether the terms of these chunks save more than they cost, at this query of the filter. */
export const isWorthReading = (keys: readonly number[], queries: number): boolean =>
  keys.length <= Math.min(MAX_CHUNKS, queries * CHUNKS_PER_QUERY);

/** The postings of terms in these chunks, from an analysis of their texts; undefined if they take too much memory. */
export const postingsOf = (reading: Reading, keys: readonly number[]): ((term: string) => Postings) | undefined =>
  readTerms(reading, keys)?.postings;

function readTerms(reading: Reading, keys: readonly number[]): Vocabulary | undefined {
  const chosen = 'where c.key in (select value from json_each(?)) order by c.key';
  const rows = reading.rows(`${CHUNK_TEXTS} ${chosen}`, JSON.stringify(keys));
  return createVocabulary(analysed(rows), keys.length);
}

function* analysed(rows: Iterable<readonly unknown[]>): Generator<AnalysedChunk> {
  for (const [key, title, headings, text] of rows) {
    const headingPath = JSON.parse(String(headings)) as string[];
    yield { key: Number(key), ...analyseForIndex({ title: String(title), headingPath, text: String(text) }) };
  }
}

/** Terms of a chunk, separated by spaces. */
interface AnalysedChunk {
  readonly key: number;
  readonly title: string;
  readonly body: string;
}

/** The terms of chunks in ascending order of keys; undefined when they would take too much memory. */
export function createVocabulary(chunks: Iterable<AnalysedChunk>, size: number): Vocabulary | undefined {
  const postings = new Map<string, number[]>();
  let count = 0;
  const add = (terms: string, posting: number) => {
    for (const term of terms.split(' ')) {
      count++;
      const known = postings.get(term);
      if (known !== undefined) known.push(posting);
      else if (term !== '') postings.set(term, [posting]);
    }
  };
  for (const { key, title, body } of chunks) {
    add(title, -key);
    add(body, key);
    if (postings.size * BYTES_PER_TERM + count * BYTES_PER_POSTING > MAX_BYTES) return undefined;
  }
  let ordered: OrderedTerms | undefined;
  return {
    isWhole: size <= CHUNKS_PER_QUERY,
    corrections: new LruMap({ max: MAX_CORRECTIONS }),
    count: (term) => postings.get(term)?.length ?? 0,
    postings: (term) => toPostings(postings.get(term) ?? []),
    seek(from) {
      ordered ??= inOrder([...postings.keys()]);
      const { sorted, compare } = ordered;
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

interface OrderedTerms {
  readonly sorted: readonly string[];
  readonly compare: (one: string, two: string) => number;
}

function inOrder(terms: string[]): OrderedTerms {
  const hasSurrogates = terms.some((term) => SURROGATE.test(term));
  const compare = hasSurrogates ? byCodePoint : byCodeUnit;
  // Without a function, strings are sorted by code units, several times as fast.
  return { sorted: hasSurrogates ? terms.sort(compare) : terms.sort(), compare };
}

const SURROGATE = /[\ud800-\udfff]/;

const byCodeUnit = (one: string, two: string): number => (one < two ? -1 : Number(one > two));

// Code point order equals the order of UTF-8 bytes.
const byCodePoint = (one: string, two: string): number => Buffer.compare(Buffer.from(one), Buffer.from(two));
