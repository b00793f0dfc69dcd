import type { DatabaseSync } from 'node:sqlite';
import type { Chunk, ScoredChunk } from '../../../documents/chunk.ts';
import type { PhraseCounts, RankedChunk } from '../../chunk-search.ts';
import { toTextScore } from '../../full-text/text-score.ts';
import type { GraphFinding } from '../../graph-search.ts';
import type { VectorSpaceName } from '../../vector-index.ts';
import type { StoredLengths } from '../full-text/chunk-lengths.ts';
import { vocabularyOf } from '../full-text/filter-vocabulary.ts';
import { rankByTerms } from '../full-text/rank-by-terms.ts';
import { type PackedRanking, packRanking, type Ranking, rankWithin, type WordQuery } from '../full-text/rank-within.ts';
import { memoized, presentTerms } from '../full-text/term-index.ts';
import { graphReading } from '../graph/graph-reading.ts';
import { type CompiledGraphQuery, searchGraph } from '../graph/search-graph.ts';
import type { OperationWatch } from '../operation-watch.ts';
import type { Operations } from '../sqlite/sqlite-messages.ts';
import { type CodesQuery, nearestByCodes } from '../vector-codes/nearest-by-codes.ts';
import { type CodesRead, type CodesWanted, readCodes } from '../vector-codes/read-codes.ts';
import type { CompiledFilter, Condition } from './compile-filter.ts';
import { keySet } from './key-set.ts';
import { chunksWithPhrase } from './keys-with-phrase.ts';
import { loadChunks, loadChunksById } from './load-chunks.ts';
import {
  type AmongQuery,
  type NearestPlan,
  type NearestQuery,
  nearestAmong,
  nearestExactly,
  planNearest,
  readVectors,
} from './nearest-chunks.ts';
import type { NearestList } from './packed-hits.ts';
import { type CompiledDescriptionQuery, type RankedDescriptions, rankDescriptions } from './rank-descriptions.ts';
import { type Reading, withSnapshot } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';
import { nearestSinglePass, type SinglePassAnswer, type SinglePassQuery } from './single-pass-search.ts';
import { chunkTermsAt, type DocumentAsOf, documentsAt, documentTermsAt } from './terms-as-of.ts';

/** Search operations that run in the database threads, by name. */
export const searchOperations = {
  planNearest: (
    database: DatabaseSync,
    { filter }: { readonly filter: CompiledFilter },
    watch: OperationWatch,
  ): NearestPlan => withSnapshot(database, watch, (reading) => planNearest(reading, filter)),

  nearestExactly: (database: DatabaseSync, query: NearestQuery, watch: OperationWatch): NearestList =>
    withSnapshot(database, watch, (reading) => nearestExactly(reading, query)),

  nearestAmong: (database: DatabaseSync, query: AmongQuery, watch: OperationWatch): NearestList =>
    withSnapshot(database, watch, (reading) => nearestAmong(reading, query)),

  /** Null if the database has no codes. */
  readCodes: (database: DatabaseSync, wanted: CodesWanted, watch: OperationWatch): CodesRead | null =>
    withSnapshot(database, watch, (reading) => readCodes(reading, wanted)),

  /** Null for an engine that stores no lengths for the next process. */
  copyLengths: (database: DatabaseSync, _: object, watch: OperationWatch): StoredLengths | null =>
    withSnapshot(database, watch, (reading) => reading.snapshot.copyLengths()),

  nearestByCodes: (database: DatabaseSync, query: CodesQuery, watch: OperationWatch): NearestList =>
    withSnapshot(database, watch, (reading) => nearestByCodes(reading, query)),

  matchingChunks: (database: DatabaseSync, query: MatchingQuery, watch: OperationWatch): Ranking<ScoredChunk> =>
    withSnapshot(database, watch, (reading) => matchingChunks(reading, query)),

  rankChunks: (database: DatabaseSync, query: MatchingQuery, watch: OperationWatch): Ranking<RankedChunk> =>
    withSnapshot(database, watch, (reading) => rankedKeys(reading, query)),

  readChunks: (
    database: DatabaseSync,
    { keys, at }: { readonly keys: readonly number[]; readonly at?: string | undefined },
    watch: OperationWatch,
  ): Map<number, Chunk> => withSnapshot(database, watch, (reading) => loadChunks(reading, keys, at)),

  readChunksById: (
    database: DatabaseSync,
    { ids }: { readonly ids: readonly string[] },
    watch: OperationWatch,
  ): Chunk[] => withSnapshot(database, watch, (reading) => loadChunksById(reading, ids)),

  readVectors: (
    database: DatabaseSync,
    { keys, space }: { readonly keys: readonly number[]; readonly space: VectorSpaceName },
    watch: OperationWatch,
  ): Map<number, Float32Array> => withSnapshot(database, watch, (reading) => readVectors(reading, keys, space)),

  countPhrases: (database: DatabaseSync, query: PhraseCountQuery, watch: OperationWatch): PhraseCounts =>
    withSnapshot(database, watch, (reading) => countPhrases(reading, query)),

  countRetired: (database: DatabaseSync, query: RetiredQuery, watch: OperationWatch): number =>
    withSnapshot(database, watch, (reading) => countRetired(reading, query)),

  searchGraph: (database: DatabaseSync, query: CompiledGraphQuery, watch: OperationWatch): GraphFinding =>
    withSnapshot(database, watch, (reading) =>
      searchGraph(graphReading(reading), query, resolveFilter(reading, query.filter)?.keys),
    ),

  rankDescriptions: (
    database: DatabaseSync,
    query: CompiledDescriptionQuery,
    watch: OperationWatch,
  ): RankedDescriptions => withSnapshot(database, watch, (reading) => rankDescriptions(reading, query)),

  documentFullText: (database: DatabaseSync, query: DocumentTextQuery, watch: OperationWatch): DocumentTextResult =>
    withSnapshot(database, watch, (reading) => documentFullText(reading, query)),
} as const satisfies Operations;

/** Further operations, which need everything that a search reads in this database. */
export const singlePassOperations = {
  nearestSinglePass: (database: DatabaseSync, query: SinglePassQuery, watch: OperationWatch): SinglePassAnswer =>
    withSnapshot(database, watch, (reading) => nearestSinglePass(reading, query)),

  rankPacked: (database: DatabaseSync, query: MatchingQuery, watch: OperationWatch): PackedRanking =>
    withSnapshot(database, watch, (reading) => packRanking(rankedKeys(reading, query))),
} as const satisfies Operations;

export interface RetiredQuery {
  readonly at: string;
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
}

/** The number of pruned versions that were valid then, of documents that pass. */
function countRetired(reading: Reading, { at, filter }: RetiredQuery): number {
  const passes = filter === null ? '' : `and (${filter.sql})`;
  const row = reading.row(
    `select count(*) from document_versions v join documents d on d.key = v.document_key
     where v.retired_at is not null and v.valid_from <= ? and v.valid_to > ? ${passes}`,
    at,
    at,
    ...(filter?.parameters ?? []),
  );
  return Number(row?.[0] ?? 0);
}

export interface MatchingQuery extends WordQuery {
  readonly filter: CompiledFilter;
  /** Selects more than `filter`; words that occur there are not corrected. Absent when it would be the same. */
  readonly readable?: CompiledFilter;
}

function matchingChunks(reading: Reading, query: MatchingQuery): Ranking<ScoredChunk> {
  const { hits: found, corrections } = rankedKeys(reading, query);
  const chunks = loadChunks(
    reading,
    found.map(({ key }) => key),
    query.filter?.past?.at,
  );
  return { hits: withChunks(found, chunks), corrections };
}

/** Ranked hits with their chunks; those without one are left out. */
export const withChunks = (found: readonly RankedChunk[], chunks: ReadonlyMap<number, Chunk>): ScoredChunk[] =>
  found.flatMap(({ key, rank, score }) => {
    const chunk = chunks.get(key);
    return chunk ? [{ ...chunk, score, fullText: { rank, score } }] : [];
  });

// Reads no chunks beyond those shown: they are scattered across the database.
function rankedKeys(reading: Reading, { filter, readable, ...query }: MatchingQuery): Ranking<RankedChunk> {
  const resolved = resolveFilter(reading, filter);
  return rankWithin(memoized(extractionChunksOf(reading, filter)), query, {
    allowed: resolved?.keys,
    own: () => resolved?.vocabulary,
    few: () => resolved && vocabularyOf(reading, resolved),
    ...(readable !== undefined && { readable: readable && (() => resolveFilter(reading, readable)?.keys) }),
  });
}

const extractionChunksOf = (reading: Reading, filter: CompiledFilter) =>
  filter?.past ? chunkTermsAt(reading, filter.past.at) : presentTerms(reading, 'chunk_terms');

export interface DocumentTextQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
  readonly limit: number;
  readonly offset: number;
  /** Searches the documents visible at that time. */
  readonly at?: string;
}

/** Keys of visible documents, best first; `total` counts all matches. */
export interface DocumentTextResult {
  readonly hits: readonly (DocumentAsOf & { readonly score: number })[];
  readonly total: number;
}

function documentFullText(reading: Reading, query: DocumentTextQuery): DocumentTextResult {
  const { terms, filter, limit, offset, at } = query;
  if (at !== undefined) return documentFullTextAt(reading, { ...query, at });
  const allowed = filter && keySet(documentKeys(reading, filter));
  const everyDocument = reading.snapshot.documentLengths().count;
  const found = rankByTerms(presentTerms(reading, 'document_terms'), {
    terms,
    allowed: allowed ?? undefined,
    limit: everyDocument,
  });
  const page = found
    .slice(offset, offset + limit)
    .map(({ key, score }) => ({ key, version: null, score: toTextScore(score) }));
  return { hits: page, total: found.length };
}

function documentFullTextAt(
  reading: Reading,
  { terms, filter, limit, offset, at }: DocumentTextQuery & { readonly at: string },
): DocumentTextResult {
  const documents = documentsAt(reading, at, filter ?? undefined);
  const found = rankByTerms(documentTermsAt(reading, at), {
    terms,
    allowed: keySet([...documents.keys()]),
    limit: documents.size,
  });
  const hits = found.slice(offset, offset + limit).flatMap(({ key, score }) => {
    const document = documents.get(key);
    return document === undefined ? [] : [{ ...document, score: toTextScore(score) }];
  });
  return { hits, total: found.length };
}

function documentKeys(reading: Reading, { sql, parameters }: Condition): number[] {
  const row = reading.row(`select json_group_array(d.key) from documents d where (${sql})`, ...parameters);
  return JSON.parse(String(row?.[0] ?? '[]')) as number[];
}

interface PhraseCountQuery {
  /** Each from `compilePhrase`. */
  readonly phrases: readonly (readonly string[])[];
  readonly filter: CompiledFilter;
}

/** The number of passing chunks that contain each phrase, and the number that contain all of them. */
function countPhrases(reading: Reading, { phrases, filter }: PhraseCountQuery): PhraseCounts {
  const allowed = resolveFilter(reading, filter)?.keys;
  const isPast = filter?.past !== undefined;
  let all: Set<number> | undefined;
  const each = phrases.map(([phrase]) => {
    const withPhrase = phrase === undefined ? new Set<number>() : chunksWithPhrase(reading, phrase, isPast);
    const passing = new Set([...withPhrase].filter((key) => allowed?.has(key) ?? true));
    all = all === undefined ? passing : new Set([...all].filter((key) => passing.has(key)));
    return passing.size;
  });
  return { each, all: all?.size ?? 0 };
}
