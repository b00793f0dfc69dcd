import type { RawBuilder } from 'kysely';
import { LruMap } from '../../../shared/lru-map.ts';
import type { Vocabulary } from '../../sql/full-text/filter-vocabulary.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import type { KeySet } from '../../sql/search/key-set.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import type { QuerySettings } from '../prepared.ts';
import { type CachedIndex, createKnownStates, type KnownStates, type State } from './known-states.ts';
import { createTermCache, type TermCache } from './term-cache.ts';

/** Vectors of the chunks that pass a filter, one after the other. */
export interface Matrix {
  readonly keys: readonly number[];
  readonly vectors: Float32Array;
}

/** The terms of the chunks that pass a filter, once they were worth reading and if they were not too many. */
export interface FilterVocabulary {
  readonly queries: number;
  readonly terms?: Vocabulary | undefined;
  readonly wasRead: boolean;
}

/** What searches of this process have read; each entry is of one version of the content. */
export interface SearchCache {
  /** Differs between the caches of a process. */
  readonly series: number;
  readonly filters: LruMap<string, KeySet>;
  /** Short names of filters in use. */
  readonly digests: WeakMap<NonNullable<CompiledFilter>, string>;
  /** Numbers of chunks that pass a filter. */
  readonly counts: LruMap<string, number>;
  readonly vocabularies: LruMap<string, FilterVocabulary>;
  readonly matrices: LruMap<string, Matrix>;
  readonly terms: Readonly<Record<CachedIndex, TermCache>>;
  readonly states: KnownStates;
}

/** Runs queries in one state of the database. */
export interface StateQueries {
  /**
   * The rows of a query of which nothing but this state decides the result, in no order. Prepared where its text is one
   * of few. With settings, it runs in a transaction of its own, or they hold until the end of the one that has begun.
   */
  rows<Row>(query: RawBuilder<Row>, how?: 'prepared' | 'once', settings?: QuerySettings): Promise<Row[]>;
  /** A transaction in this state, for queries of any kind; begun at the first call. */
  transaction(): Promise<Queries>;
}

/** One state of the database, and what is known of it. */
export interface Reading extends StateQueries, Pick<State, 'content' | 'indexes'> {
  readonly cache: SearchCache;
}

const COUNTS_KEPT = 1_000;
/** Numbers of eight bytes in the key sets kept, 64 MB. */
const KEYS_KEPT = 8_000_000;
/** Of up to 16 MB each, most of them far smaller. */
const VOCABULARIES_KEPT = 16;
/** Numbers in the vectors kept, 64 MB. */
const COMPONENTS_KEPT = 16_000_000;

/** A key set has a bit for each key up to the largest. */
const sizeOfKeys = ({ keys }: KeySet): number => keys.length + Math.ceil((keys.at(-1) ?? 0) / 64) + 100;

let caches = 0;

export const createSearchCache = (): SearchCache => ({
  series: ++caches,
  filters: new LruMap({ max: KEYS_KEPT, sizeOf: sizeOfKeys }),
  digests: new WeakMap(),
  counts: new LruMap({ max: COUNTS_KEPT }),
  vocabularies: new LruMap({ max: VOCABULARIES_KEPT }),
  matrices: new LruMap({ max: COMPONENTS_KEPT, sizeOf: ({ vectors }) => vectors.length + 100 }),
  terms: { chunk_terms: createTermCache('chunk_terms'), document_terms: createTermCache('document_terms') },
  states: createKnownStates(),
});
