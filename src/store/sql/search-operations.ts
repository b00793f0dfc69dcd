import type { DatabaseSync } from 'node:sqlite';
import type { Chunk, ScoredChunk } from '../../documents/chunk.ts';
import type { FoundChunk, RankedChunk } from '../chunk-search.ts';
import type { VectorHit } from '../vector-index.ts';
import { rankByTerms, toTextScore } from './full-text/rank-by-terms.ts';
import { presentTerms } from './full-text/term-index.ts';
import type { CompiledFilter, Condition } from './search/compile-filter.ts';
import { keySet } from './search/key-set.ts';
import { loadChunks } from './search/load-chunks.ts';
import {
  type NearestPlan,
  type NearestQuery,
  nearestAmong,
  nearestExactly,
  planNearest,
} from './search/nearest-chunks.ts';
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

  matchingChunks: (database: DatabaseSync, query: MatchingQuery): ScoredChunk[] =>
    readAtOnce(database, (reading) => matchingChunks(reading, query)),

  rankChunks: (database: DatabaseSync, query: MatchingQuery & { readonly reading: number }): RankedChunk[] =>
    readAtOnce(database, (reading) => rankChunks(reading, query)),

  readChunks: (database: DatabaseSync, { keys }: { readonly keys: readonly number[] }): Map<number, Chunk> =>
    readAtOnce(database, (reading) => loadChunks(reading, keys)),

  documentFullText: (database: DatabaseSync, query: DocumentTextQuery): DocumentTextResult =>
    readAtOnce(database, (reading) => documentFullText(reading, query)),
} as const satisfies Operations;

export interface MatchingQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  readonly filter: CompiledFilter;
  readonly limit: number;
}

function matchingChunks(reading: Reading, query: MatchingQuery): ScoredChunk[] {
  const found = rankedKeys(reading, query);
  const chunks = loadChunks(
    reading,
    found.map(({ key }) => key),
  );
  return found.flatMap(({ key, rank, score }) => {
    const chunk = chunks.get(key);
    return chunk ? [{ ...chunk, score, fullText: { rank, score } }] : [];
  });
}

// Nothing is read of the many that nobody will see: they lie all over the database.
function rankChunks(reading: Reading, query: MatchingQuery & { readonly reading: number }): RankedChunk[] {
  const found = rankedKeys(reading, query);
  const chunks = loadChunks(
    reading,
    found.slice(0, query.reading).map(({ key }) => key),
  );
  return found.map((hit) => {
    const chunk = chunks.get(hit.key);
    return chunk ? { ...hit, chunk } : hit;
  });
}

function rankedKeys(reading: Reading, { terms, filter, limit }: MatchingQuery): RankedChunk[] {
  const allowed = resolveFilter(reading, filter)?.keys;
  const found = rankByTerms(presentTerms(reading, 'chunk_terms'), { terms, allowed, limit });
  return found.map(({ key, score: sum }, place) => ({ key, rank: place + 1, score: toTextScore(sum) }));
}

export interface DocumentTextQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
  readonly limit: number;
  readonly offset: number;
}

/** Visible documents by their keys, best first; `total` counts all that match. */
export interface DocumentTextResult {
  readonly hits: readonly { readonly key: number; readonly score: number }[];
  readonly total: number;
}

function documentFullText(reading: Reading, { terms, filter, limit, offset }: DocumentTextQuery): DocumentTextResult {
  const allowed = filter && keySet(documentKeys(reading, filter));
  const everyDocument = reading.snapshot.documentLengths().count;
  const found = rankByTerms(presentTerms(reading, 'document_terms'), {
    terms,
    allowed: allowed ?? undefined,
    limit: everyDocument,
  });
  const page = found.slice(offset, offset + limit).map(({ key, score }) => ({ key, score: toTextScore(score) }));
  return { hits: page, total: found.length };
}

function documentKeys(reading: Reading, { sql, parameters }: Condition): number[] {
  const row = reading.row(`select json_group_array(d.key) from documents d where (${sql})`, ...parameters);
  return JSON.parse(String(row?.[0] ?? '[]')) as number[];
}
