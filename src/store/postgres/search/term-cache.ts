import { sql } from 'kysely';
import { LruMap } from '../../../shared/lru-map.ts';
import type { ChunkLengths, KnownTerms } from '../../sql/full-text/chunk-lengths.ts';
import type { IndexTable } from '../../sql/full-text/full-text-tables.ts';
import { noPostings, type Postings, replaceRange, toPostings } from '../../sql/full-text/postings.ts';
import { compareCodePoints } from '../full-text/compare-code-points.ts';
import { forEachPosting } from '../full-text/posting-blocks.ts';
import type { StateQueries } from './reading.ts';

/** State of a full-text index, from the table `full_text_sizes`. */
export interface IndexVersion {
  readonly version: number;
  /** The last version in which a block was removed. */
  readonly removed: number;
  readonly entries: number;
  readonly length: number;
}

/** A term as of a version of the index. */
interface CachedTerm {
  readonly version: number;
  /** Occurrences in the index. */
  readonly count: number;
  /** Undefined if there are too many to read without request. */
  readonly postings: Postings | undefined;
  /** The first key of each of its blocks, ascending. */
  readonly firsts: readonly number[];
}

/** The terms of an index in one version, as far as they have been read. */
export interface CachedTerms {
  readonly chunks: ChunkLengths;
  get(term: string): CachedTerm | undefined;
  /** The terms that begin with a character, ordered by code points; undefined if not read yet. */
  vocabulary(initial: string): readonly string[] | undefined;
  fetchVocabulary(queries: StateQueries, initial: string): Promise<void>;
  /** Reads unknown terms, and changes to known ones. With `isWhole`, reads all occurrences, however many there are. */
  fetch(queries: StateQueries, terms: Iterable<string>, isWhole?: boolean): Promise<void>;
}

export interface TermCache {
  at(version: IndexVersion): CachedTerms;
}

/** Maximum sum of the numbers of chunks in the cached postings, eight bytes each. */
const MAX_CACHED = 8_000_000;
/** Terms with more occurrences are only read on request: a ranking rarely uses more of all its terms together. */
const MAX_UNASKED = 300_000;
const MAX_CACHED_FREQUENCIES = 8_192;
/** Growth factor of the array of lengths, so that not every new chunk copies it. */
const GROWTH = 1.1;

interface CachedVocabulary {
  readonly version: number;
  readonly terms: readonly string[];
}

/** Maximum number of cached terms, some 50 bytes each. */
const MAX_CACHED_TERMS = 1_000_000;

interface Lengths {
  version: number;
  lengths: Int32Array;
  readonly known: KnownTerms;
}

/** Caches what was read of an index; after a change, only the changed blocks are read again. */
export function createTermCache(table: IndexTable): TermCache {
  const kept = new LruMap<string, CachedTerm>({
    max: MAX_CACHED,
    sizeOf: ({ postings }) => (postings?.keys.length ?? 0) + 50,
  });
  const vocabularies = new LruMap<string, CachedVocabulary>({
    max: MAX_CACHED_TERMS,
    sizeOf: ({ terms }) => terms.length + 1,
  });
  let latest: Lengths = createLengths(0, new Int32Array(0));
  let scores = new Float64Array(0);

  return {
    at({ version, removed, entries, length }) {
      // A search that began in an earlier state has its own copy of the lengths.
      if (version !== latest.version) {
        const own = createLengths(version, latest.lengths.slice());
        if (version > latest.version) latest = own;
        return termsAt(own);
      }
      return termsAt(latest);

      function termsAt(state: Lengths): CachedTerms {
        const used = new Map<string, CachedTerm>();
        const usedVocabularies = new Map<string, readonly string[]>();
        const get = (term: string): CachedTerm | undefined => {
          const known = used.get(term) ?? kept.get(term);
          if (known?.version !== version) return undefined;
          used.set(term, known);
          return known;
        };
        return {
          get,
          get chunks() {
            if (scores.length < state.lengths.length) scores = new Float64Array(state.lengths.length);
            const mean = entries === 0 ? 0 : length / entries;
            return { lengths: state.lengths, scores, count: entries, mean, known: state.known };
          },
          vocabulary(initial) {
            const known = vocabularies.get(initial);
            return usedVocabularies.get(initial) ?? (known?.version === version ? known.terms : undefined);
          },
          async fetchVocabulary(queries, initial) {
            const known = vocabularies.get(initial);
            const isBase = known !== undefined && known.version >= removed && known.version < version;
            const since = isBase ? known.version : 0;
            const read = await readVocabulary(queries, { table, initial, since });
            const terms = isBase ? merge(known.terms, read) : read;
            usedVocabularies.set(initial, terms);
            if (known === undefined || known.version < version) vocabularies.set(initial, { version, terms });
          },
          async fetch(queries, terms, isWhole = false) {
            const wanted = [...new Set(terms)].filter((term) => {
              const known = get(term);
              return known === undefined || (isWhole && known.postings === undefined);
            });
            const before = wanted.map((term) => {
              const known = kept.get(term);
              const isBase = known?.postings !== undefined && known.version >= removed && known.version < version;
              return isBase ? known : undefined;
            });
            const blocks = await readBlocks(queries, { table, wanted, before, isWhole });
            for (const [index, term] of wanted.entries()) {
              const known = update(before[index], blocks.get(term) ?? [], { version, state });
              used.set(term, known);
              // Only postings of the latest state are cached, because later states start from a copy of its lengths.
              if (state === latest) kept.set(term, known);
            }
          },
        };
      }
    },
  };
}

const createLengths = (version: number, lengths: Int32Array): Lengths => ({
  version,
  lengths,
  known: {
    occurrences: new LruMap({ max: MAX_CACHED_FREQUENCIES }),
    frequencies: new LruMap({ max: MAX_CACHED_FREQUENCIES }),
    first: new LruMap({ max: 1 }),
  },
});

interface BlockRow {
  readonly term: string;
  readonly first: number;
  readonly occurrences: number;
  /** Null if the term has too many occurrences. */
  readonly postings: Uint8Array | null;
}

interface Fetching {
  readonly table: IndexTable;
  readonly wanted: readonly string[];
  readonly before: readonly (CachedTerm | undefined)[];
  readonly isWhole: boolean;
}

/** The blocks that changed since the cached version, or all blocks of an unknown term. */
async function readBlocks(
  queries: StateQueries,
  { table, wanted, before, isWhole }: Fetching,
): Promise<ReadonlyMap<string, readonly BlockRow[]>> {
  if (wanted.length === 0) return new Map();
  const since = before.map((known) => known?.version ?? 0);
  const max = isWhole ? Number.MAX_SAFE_INTEGER : MAX_UNASKED;
  const query = sql<BlockRow>`
    select w.term, b.first, b.occurrences, case when b.total <= ${max}::bigint then b.postings end as postings
    from unnest(${wanted}::text[], ${since}::bigint[]) as w (term, since)
    cross join lateral (
      select first, occurrences, postings, sum(occurrences) over () as total from ${sql.table(`${table}_blocks`)}
      where term = w.term collate "C" and version > w.since
    ) as b`;
  return Map.groupBy(await queries.rows(query, 'prepared'), ({ term }) => term);
}

async function readVocabulary(
  queries: StateQueries,
  { table, initial, since }: { readonly table: IndexTable; readonly initial: string; readonly since: number },
): Promise<readonly string[]> {
  const query = sql<{ terms: string | null }>`
    select string_agg(term, ' ' order by term) as terms from (
      select distinct term from ${sql.table(`${table}_blocks`)}
      where term >= ${initial} and starts_with(term, ${initial}) and version > ${since}) as t`;
  const rows = await queries.rows(query);
  return rows[0]?.terms?.split(' ') ?? [];
}

function merge(known: readonly string[], more: readonly string[]): readonly string[] {
  const all = new Set(known);
  const added = more.filter((term) => !all.has(term));
  return added.length === 0 ? known : [...known, ...added].sort(compareCodePoints);
}

interface Update {
  readonly version: number;
  readonly state: Lengths;
}

function update(before: CachedTerm | undefined, changed: readonly BlockRow[], { version, state }: Update): CachedTerm {
  if (before !== undefined && changed.length === 0) return { ...before, version };
  if (changed.some(({ postings }) => postings === null)) {
    const count = changed.reduce((sum, { occurrences }) => sum + occurrences, before?.count ?? 0);
    return { version, count, postings: undefined, firsts: [] };
  }
  const blocks = new Map(changed.map((row) => [row.first, row.postings ?? NO_BYTES]));
  const firsts = [...new Set([...(before?.firsts ?? []), ...blocks.keys()])].sort((one, two) => one - two);
  let postings = before?.postings ?? noPostings;
  let start: number | undefined;
  let occurrences: number[] = [];
  // Adjacent changed blocks are replaced together.
  for (const first of [...firsts, Number.MAX_SAFE_INTEGER]) {
    const bytes = blocks.get(first);
    if (bytes !== undefined) {
      start ??= first;
      decodeInto(occurrences, bytes, { first, state });
    } else if (start !== undefined) {
      postings = replaceRange(postings, [start, first - 1], toPostings(occurrences));
      start = undefined;
      occurrences = [];
    }
  }
  return { version, count: postings.occurrences, postings, firsts };
}

const NO_BYTES = new Uint8Array();

function decodeInto(
  occurrences: number[],
  bytes: Uint8Array,
  { first, state }: { readonly first: number; readonly state: Lengths },
): void {
  forEachPosting(bytes, first, (key, title, body, length) => {
    for (let at = 0; at < title; at++) occurrences.push(-key);
    for (let at = 0; at < body; at++) occurrences.push(key);
    if (key >= state.lengths.length) {
      const larger = new Int32Array(Math.ceil((key + 1) * GROWTH)).fill(-1);
      larger.set(state.lengths);
      state.lengths = larger;
    }
    state.lengths[key] = length;
  });
}
