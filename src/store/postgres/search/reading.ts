import { sql } from 'kysely';
import { LruMap } from '../../../shared/lru-map.ts';
import type { Vocabulary } from '../../sql/full-text/filter-vocabulary.ts';
import type { KeySet } from '../../sql/search/key-set.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { createTermCache, type IndexVersion, type TermCache } from './term-cache.ts';

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
  readonly filters: LruMap<string, KeySet>;
  /** Numbers of chunks that pass a filter. */
  readonly counts: LruMap<string, number>;
  readonly vocabularies: LruMap<string, FilterVocabulary>;
  readonly matrices: LruMap<string, Matrix>;
  readonly terms: Readonly<Record<CachedIndex, TermCache>>;
}

const cachedIndexes = ['chunk_terms', 'document_terms'] as const;
export type CachedIndex = (typeof cachedIndexes)[number];

/** One state of the database, and what is known of it. */
export interface Reading {
  readonly database: Queries;
  readonly cache: SearchCache;
  /** Version of documents, chunks, vectors and memberships. */
  readonly content: number;
  readonly indexes: Readonly<Record<CachedIndex, IndexVersion>>;
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

export const createSearchCache = (): SearchCache => ({
  filters: new LruMap({ max: KEYS_KEPT, sizeOf: sizeOfKeys }),
  counts: new LruMap({ max: COUNTS_KEPT }),
  vocabularies: new LruMap({ max: VOCABULARIES_KEPT }),
  matrices: new LruMap({ max: COMPONENTS_KEPT, sizeOf: ({ vectors }) => vectors.length + 100 }),
  terms: { chunk_terms: createTermCache('chunk_terms'), document_terms: createTermCache('document_terms') },
});

/** Begins a transaction and reads the state that it sees. */
export async function beginReading(database: Queries, cache: SearchCache): Promise<Reading> {
  const { rows } = await sql<IndexVersion & { readonly name: CachedIndex; readonly content: number }>`begin;
    select s.name, s.version, s.removed, s.entries, s.length, c.version as content
    from full_text_sizes s cross join cluster_content c where s.name in ('chunk_terms', 'document_terms')
    `.execute(database);
  const of = (name: CachedIndex): IndexVersion => rows.find((row) => row.name === name) ?? EMPTY;
  return {
    database,
    cache,
    content: rows[0]?.content ?? 0,
    indexes: { chunk_terms: of('chunk_terms'), document_terms: of('document_terms') },
  };
}

const EMPTY: IndexVersion = { version: 0, removed: 0, entries: 0, length: 0 };
