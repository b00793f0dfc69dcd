import type { DatabaseSync } from 'node:sqlite';
import type { Chunk, ScoredChunk } from '../../documents/chunk.ts';
import type { Correction, FoundChunk, PhraseCounts, RankedChunk } from '../chunk-search.ts';
import type { QueryTerms } from '../full-text/analyse.ts';
import type { GraphFinding } from '../graph-search.ts';
import type { VectorHit } from '../vector-index.ts';
import { correctWords } from './full-text/correct-words.ts';
import { rankByTerms, toTextScore } from './full-text/rank-by-terms.ts';
import { presentTerms, remembering } from './full-text/term-index.ts';
import { type CompiledGraphQuery, searchGraph } from './graph/search-graph.ts';
import type { CompiledFilter, Condition } from './search/compile-filter.ts';
import { countSaying, type SayingQuery } from './search/count-saying.ts';
import { keySet } from './search/key-set.ts';
import { loadChunks } from './search/load-chunks.ts';
import { type DocumentThen, documentsAt, documentTermsAt, passageTermsAt } from './search/moments.ts';
import {
  type NearestPlan,
  type NearestQuery,
  nearestAmong,
  nearestExactly,
  planNearest,
} from './search/nearest-chunks.ts';
import {
  type CompiledDescriptionQuery,
  type RankedDescriptions,
  rankDescriptions,
} from './search/rank-descriptions.ts';
import { type Reading, readAtOnce } from './search/read-snapshot.ts';
import { resolveFilter } from './search/resolve-filter.ts';
import type { Operations } from './sqlite-messages.ts';

/** What search does next to the data, by name. */
export const searchOperations = {
  planNearest: (database: DatabaseSync, { filter }: { readonly filter: CompiledFilter }): NearestPlan =>
    readAtOnce(database, (reading) => planNearest(reading, filter)),

  nearestExactly: (database: DatabaseSync, query: NearestQuery): FoundChunk[] =>
    readAtOnce(database, (reading) => nearestExactly(reading, query)),

  nearestAmong: (
    database: DatabaseSync,
    query: NearestQuery & { readonly hits: readonly VectorHit[]; readonly others: readonly number[] },
  ): FoundChunk[] => readAtOnce(database, (reading) => nearestAmong(reading, query)),

  matchingChunks: (database: DatabaseSync, query: MatchingQuery): Ranking<ScoredChunk> =>
    readAtOnce(database, (reading) => matchingChunks(reading, query)),

  rankChunks: (database: DatabaseSync, query: MatchingQuery & { readonly reading: number }): Ranking<RankedChunk> =>
    readAtOnce(database, (reading) => rankChunks(reading, query)),

  readChunks: (
    database: DatabaseSync,
    { keys, at }: { readonly keys: readonly number[]; readonly at?: string | undefined },
  ): Map<number, Chunk> => readAtOnce(database, (reading) => loadChunks(reading, keys, at)),

  countSaying: (database: DatabaseSync, query: SayingQuery): PhraseCounts =>
    readAtOnce(database, (reading) => countSaying(reading, query)),

  countRetired: (database: DatabaseSync, query: RetiredQuery): number =>
    readAtOnce(database, (reading) => countRetired(reading, query)),

  searchGraph: (database: DatabaseSync, query: CompiledGraphQuery): GraphFinding =>
    readAtOnce(database, (reading) => searchGraph(reading, query)),

  rankDescriptions: (database: DatabaseSync, query: CompiledDescriptionQuery): RankedDescriptions =>
    readAtOnce(database, (reading) => rankDescriptions(reading, query)),

  documentFullText: (database: DatabaseSync, query: DocumentTextQuery): DocumentTextResult =>
    readAtOnce(database, (reading) => documentFullText(reading, query)),
} as const satisfies Operations;

export interface RetiredQuery {
  readonly at: string;
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
}

/** Of the documents that pass, versions that were valid then, and of which only the fact is kept. */
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

/** From `readQueryTerms`, the rest. */
export interface MatchingQuery extends QueryTerms {
  readonly filter: CompiledFilter;
  readonly limit: number;
}

export interface Ranking<Hit> {
  readonly hits: Hit[];
  readonly corrections: readonly Correction[];
}

function matchingChunks(reading: Reading, query: MatchingQuery): Ranking<ScoredChunk> {
  const { hits: found, corrections } = rankedKeys(reading, query);
  const chunks = loadChunks(
    reading,
    found.map(({ key }) => key),
    query.filter?.past?.at,
  );
  const hits = found.flatMap(({ key, rank, score }) => {
    const chunk = chunks.get(key);
    return chunk ? [{ ...chunk, score, fullText: { rank, score } }] : [];
  });
  return { hits, corrections };
}

// Nothing is read of the many that nobody will see: they lie all over the database.
function rankChunks(reading: Reading, query: MatchingQuery & { readonly reading: number }): Ranking<RankedChunk> {
  const { hits: found, corrections } = rankedKeys(reading, query);
  const chunks = loadChunks(
    reading,
    found.slice(0, query.reading).map(({ key }) => key),
    query.filter?.past?.at,
  );
  const hits = found.map((hit) => {
    const chunk = chunks.get(hit.key);
    return chunk ? { ...hit, chunk } : hit;
  });
  return { hits, corrections };
}

function rankedKeys(reading: Reading, { terms, words, filter, limit }: MatchingQuery): Ranking<RankedChunk> {
  const allowed = resolveFilter(reading, filter)?.keys;
  const index = remembering(passagesOf(reading, filter));
  const corrections = correctWords(index, words, allowed);
  const found = rankByTerms(index, { terms, corrections, allowed, limit });
  const hits = found.map(({ key, score: sum }, place) => ({ key, rank: place + 1, score: toTextScore(sum) }));
  return { hits, corrections };
}

const passagesOf = (reading: Reading, filter: CompiledFilter) =>
  filter?.past ? passageTermsAt(reading, filter.past.at) : presentTerms(reading, 'chunk_terms');

export interface DocumentTextQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
  readonly limit: number;
  readonly offset: number;
  /** Asks for the documents that could be seen at that time. */
  readonly at?: string;
}

/** Visible documents by their keys, best first; `total` counts all that match. */
export interface DocumentTextResult {
  readonly hits: readonly (DocumentThen & { readonly score: number })[];
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
