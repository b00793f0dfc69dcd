import type { RawBuilder } from 'kysely';
import { LruMap } from '../../../shared/lru-map.ts';
import type { Vocabulary } from '../../sql/full-text/filter-vocabulary.ts';
import type { NameCodes } from '../../sql/graph/name-codes.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import type { KeySet } from '../../sql/search/key-set.ts';
import { createOutlineCache, type OutlineCache } from '../../sql/search/outline-cache.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import type { QuerySettings } from '../prepared.ts';
import { type CachedIndex, createKnownStates, type KnownStates, type State } from './known-states.ts';
import { createTermCache, type TermCache } from './term-cache.ts';

/** Vectors of the chunks that pass a filter, stored contiguously in the order of `keys`. */
export interface Matrix {
  readonly keys: readonly number[];
  readonly vectors: Float32Array;
}

/** The terms of the chunks that pass a filter; only read once that is worthwhile, and if there are not too many. */
export interface FilterVocabulary {
  readonly queries: number;
  readonly terms?: Vocabulary | undefined;
  readonly wasRead: boolean;
}

/** Cache of this process's searches; every entry belongs to one version of the content. */
export interface SearchCache {
  /** Differs between the caches of a process. */
  readonly series: number;
  readonly filters: LruMap<string, KeySet>;
  /** Digests of filters in use. */
  readonly digests: WeakMap<NonNullable<CompiledFilter>, string>;
  /** Numbers of chunks that pass a filter. */
  readonly counts: LruMap<string, number>;
  readonly vocabularies: LruMap<string, FilterVocabulary>;
  readonly matrices: LruMap<string, Matrix>;
  readonly terms: Readonly<Record<CachedIndex, TermCache>>;
  readonly states: KnownStates;
  nameCodes?: NameCodes | undefined;
  /** Of documents with large outlines. */
  readonly outlines: OutlineCache;
}

/** Runs queries in one state of the database. */
export interface StateQueries {
  /**
   * The rows, in no particular order, of a query whose result depends only on this state. Use `prepared` if its text is
   * one of few. With `settings`, the query runs in its own transaction; if `transaction` has begun one, it runs there,
   * and the settings last until its end.
   */
  rows<Row>(query: RawBuilder<Row>, how?: 'prepared' | 'once', settings?: QuerySettings): Promise<Row[]>;
  /** A transaction in this state, for queries of any kind. The first call begins it. */
  transaction(): Promise<Queries>;
}

/** One state of the database and the cache for it. */
export interface Reading extends StateQueries, Pick<State, 'content' | 'indexes'> {
  readonly cache: SearchCache;
}

const MAX_CACHED_COUNTS = 1_000;
/** Maximum size of the cached key sets, in units of eight bytes: 64 MB. */
const MAX_CACHED_KEYS = 8_000_000;
/** Up to 16 MB each, but most are far smaller. */
const MAX_CACHED_VOCABULARIES = 16;
/** Maximum components of the cached vectors: 64 MB. */
const MAX_CACHED_COMPONENTS = 16_000_000;

/** A key set has a bit for each key up to the largest. */
const sizeOfKeys = ({ keys }: KeySet): number => keys.length + Math.ceil((keys.at(-1) ?? 0) / 64) + 100;

let caches = 0;

export const createSearchCache = (): SearchCache => ({
  series: ++caches,
  filters: new LruMap({ max: MAX_CACHED_KEYS, sizeOf: sizeOfKeys }),
  digests: new WeakMap(),
  counts: new LruMap({ max: MAX_CACHED_COUNTS }),
  vocabularies: new LruMap({ max: MAX_CACHED_VOCABULARIES }),
  matrices: new LruMap({ max: MAX_CACHED_COMPONENTS, sizeOf: ({ vectors }) => vectors.length + 100 }),
  terms: { chunk_terms: createTermCache('chunk_terms'), document_terms: createTermCache('document_terms') },
  states: createKnownStates(),
  outlines: createOutlineCache(),
});
