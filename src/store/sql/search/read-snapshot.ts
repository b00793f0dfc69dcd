import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { ServiceError } from '../../../errors.ts';
import { LruMap } from '../../../shared/lru-map.ts';
import {
  type ChunkLengths,
  createLengthsReader,
  type LengthsReader,
  type StoredLengths,
  type TermTable,
  termTables,
} from '../full-text/chunk-lengths.ts';
import type { Vocabulary } from '../full-text/filter-vocabulary.ts';
import { createPostingCache, type PostingCache } from '../full-text/posting-cache.ts';
import type { IndexSegments } from '../full-text/segment-postings.ts';
import type { NameCodes } from '../graph/name-codes.ts';
import type { OperationWatch } from '../operation-watch.ts';
import type { KeySet, MutableKeySet } from './key-set.ts';
import { createOutlineCache, type OutlineCache } from './outline-cache.ts';

/**
 * Per-connection cache of the current state of the data; discarded as soon as any connection changes something, except
 * for the lengths, of which only the changed ones are read again.
 */
export interface Snapshot {
  /** Chunk lengths of the index `chunk_terms`, which holds exactly the visible chunks. */
  chunkLengths(): ChunkLengths;
  documentLengths(): ChunkLengths;
  /** Lengths of the indexes of earlier versions. */
  lengthsOf(table: TermTable): ChunkLengths;
  /** The lengths of `chunk_terms`, to be stored for the next process. */
  copyLengths(): StoredLengths;
  /** States as of the last few requested times. */
  readonly termsAsOf: LruMap<string, TermsAsOf>;
  /** The last few resolved filters of phrases or of a time, by their SQL and values. */
  readonly filters: LruMap<string, ResolvedFilter>;
  /** The segments of the full-text indexes that were needed; null for those that are read through FTS5. */
  readonly segments: LruMap<TermTable, IndexSegments | null>;
  /** Identifies this state of the data; no other state has the same value. */
  readonly version: string;
  /** The last few other resolved filters. They outlive the snapshot: their next use brings them up to date. */
  readonly lastingFilters: LruMap<string, LastingFilter>;
  /** Outlives the snapshot, too. */
  readonly nameCodes: NameCodesCache;
  /** Outlives the snapshot, too. */
  readonly outlines: OutlineCache;
}

/** Codes of the vectors of the graph's names, as they were in the state of the data with this version. */
export interface NameCodesCache {
  version?: string;
  codes?: NameCodes | undefined;
}

/** A resolved filter, and the last changes of the records that it reflects. */
export interface LastingFilter extends ResolvedFilter {
  readonly keys: MutableKeySet;
  version: string;
  /** Keys of the last applied rows of `filter_changes` and `full_text_changes`. */
  documentChange: number;
  textChange: number;
}

/** The visible chunks that pass a filter, and their vectors once they were needed. */
export interface ResolvedFilter {
  readonly keys: KeySet;
  /** True when some may belong to earlier versions only. */
  readonly isPast?: boolean;
  /** Terms of the chunks, if the chunks are few and the terms were needed. */
  vocabulary?: Vocabulary | undefined;
  /** Whether the terms would take too much memory. */
  hasManyTerms?: boolean;
  /** Number of queries that have asked for the terms. */
  queries?: number;
  vectors?: { readonly spaceKey: number; readonly found: readonly (readonly [key: number, vector: Float32Array])[] };
}

/** The chunks and documents visible at a point in time, computed on demand. */
export interface TermsAsOf {
  chunks?: ChunkLengths;
  documents?: ChunkLengths;
}

/** A connection during one operation: all reads see one snapshot, and fail once the operation has to end. */
export interface Reading {
  readonly snapshot: Snapshot;
  /** Rows as arrays; the prepared statement is cached. */
  rows(sql: string, ...parameters: readonly SQLInputValue[]): IterableIterator<SQLInputValue[]>;
  row(sql: string, ...parameters: readonly SQLInputValue[]): SQLInputValue[] | undefined;
}

interface ConnectionCache {
  version: string;
  snapshot: Snapshot;
  readonly statements: LruMap<string, StatementSync>;
  readonly lengths: Map<TermTable, LengthsReader>;
  readonly lastingFilters: LruMap<string, LastingFilter>;
  readonly nameCodes: NameCodesCache;
  readonly outlines: OutlineCache;
  /** Of `chunk_terms`. */
  readonly postings: PostingCache;
}

// Lives as long as the connection; each thread has one.
const caches = new WeakMap<DatabaseSync, ConnectionCache>();
const MAX_CACHED_STATEMENTS = 64;
const MAX_CACHED_FILTERS = 8;
const MAX_CACHED_TIMES = 4;

/** Frees cached postings and outlines, which later searches read again. */
export function freeCaches(database: DatabaseSync): void {
  const cache = caches.get(database);
  cache?.postings.clear();
  cache?.outlines.clear();
}

/** Runs an operation over one consistent snapshot of the data, until `watch` ends it. */
export function withSnapshot<Result>(
  database: DatabaseSync,
  watch: OperationWatch,
  operation: (reading: Reading) => Result,
): Result {
  // The caller may have left while the operation waited for its turn. What is in memory is not checked again.
  watch.check();
  const isOuter = !database.isTransaction;
  if (isOuter) database.exec('begin');
  try {
    return operation(currentReading(database, watch));
  } finally {
    if (isOuter) database.exec('commit');
  }
}

function currentReading(database: DatabaseSync, watch: OperationWatch): Reading {
  const memory = caches.get(database) ?? createCache(database);
  const first = (sql: string) => prepared(database, memory, sql).get() as unknown as SQLInputValue[];
  // SQLite takes the snapshot on the first read; only then does the data version refer to it.
  first('select 1 from settings limit 1');
  const version = `${first('pragma data_version')[0]} ${first('select total_changes()')[0]}`;
  if (version !== memory.version) {
    memory.version = version;
    memory.snapshot = createSnapshot(memory);
  }
  return {
    snapshot: memory.snapshot,
    rows(sql, ...parameters) {
      watch.check();
      const statement = prepared(database, memory, sql);
      return watched(statement.iterate(...parameters) as unknown as IterableIterator<SQLInputValue[]>, watch);
    },
    row(sql, ...parameters) {
      watch.check();
      return prepared(database, memory, sql).get(...parameters) as unknown as SQLInputValue[] | undefined;
    },
  };
}

const ROWS_BETWEEN_CHECKS = 256;

// Leaving the loop, for any reason, resets the statement.
function* watched<Row>(rows: Iterable<Row>, watch: OperationWatch): Generator<Row, undefined> {
  let count = 0;
  for (const row of rows) {
    if (++count % ROWS_BETWEEN_CHECKS === 0) watch.check();
    yield row;
  }
}

function createCache(database: DatabaseSync): ConnectionCache {
  // FTS5's view of its postings; temporary, so that a read-only connection can create it.
  for (const table of ['graph_name_terms', 'graph_community_terms']) {
    database.exec(`create virtual table temp.${table}_counts using fts5vocab('main', '${table}', 'row')`);
  }
  for (const table of termTables) {
    database.exec(`create virtual table temp.${table}_counts using fts5vocab('main', '${table}', 'row')`);
    database.exec(`create virtual table temp.${table}_postings using fts5vocab('main', '${table}', 'instance')`);
  }
  const lengths = new Map<TermTable, LengthsReader>();
  const lastingFilters = new LruMap<string, LastingFilter>({ max: MAX_CACHED_FILTERS });
  const postings = createPostingCache();
  const outlines = createOutlineCache();
  const kept = { version: '', lengths, lastingFilters, nameCodes: {}, outlines, postings };
  const memory: ConnectionCache = {
    ...kept,
    snapshot: createSnapshot(kept),
    statements: new LruMap({ max: MAX_CACHED_STATEMENTS }),
  };
  for (const table of termTables) {
    const rows = (sql: string, ...parameters: number[]) =>
      prepared(database, memory, sql).all(...parameters) as unknown as SQLInputValue[][];
    lengths.set(table, createLengthsReader(rows, table, table === 'chunk_terms' ? postings : undefined));
  }
  caches.set(database, memory);
  return memory;
}

function createSnapshot({
  version,
  lengths: readers,
  lastingFilters,
  nameCodes,
  outlines,
}: Pick<ConnectionCache, 'version' | 'lengths' | 'lastingFilters' | 'nameCodes' | 'outlines'>): Snapshot {
  const read = new Map<TermTable, ChunkLengths>();
  const lengthsOf = (table: TermTable): ChunkLengths => {
    const lengths = read.get(table) ?? readers.get(table)?.read();
    if (lengths === undefined) throw new ServiceError('internal', `There is no full-text index "${table}".`);
    read.set(table, lengths);
    return lengths;
  };
  return {
    chunkLengths: () => lengthsOf('chunk_terms'),
    documentLengths: () => lengthsOf('document_terms'),
    lengthsOf,
    copyLengths() {
      lengthsOf('chunk_terms');
      const reader = readers.get('chunk_terms');
      if (reader === undefined) throw new ServiceError('internal', 'There is no full-text index of the chunks.');
      return reader.copy();
    },
    termsAsOf: new LruMap({ max: MAX_CACHED_TIMES }),
    filters: new LruMap({ max: MAX_CACHED_FILTERS }),
    segments: new LruMap({ max: termTables.length }),
    version,
    lastingFilters,
    nameCodes,
    outlines,
  };
}

const prepared = (database: DatabaseSync, { statements }: ConnectionCache, sql: string): StatementSync =>
  statements.getOrCreate(sql, () => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  });
