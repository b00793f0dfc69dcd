import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { toTextScore } from '../../full-text/text-score.ts';
import { rankByTerms } from '../../sql/full-text/rank-by-terms.ts';
import { keySet } from '../../sql/search/key-set.ts';
import { type MatchingQuery, rankWithin, type searchOperations } from '../../sql/search/search-operations.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { loadChunks } from './load-chunks.ts';
import { nearestAmong, nearestExactly, planNearest, readVectors } from './nearest.ts';
import { chunksWithPhrase, resolveFilter, toRaw } from './passing.ts';
import { withTerms } from './read-terms.ts';

type Known = typeof searchOperations;

/** The search operations of the record store, over one state of the database. */
export type SearchOperations = {
  readonly [Name in keyof Known]: (
    database: Queries,
    query: Parameters<Known[Name]>[1],
  ) => Promise<ReturnType<Known[Name]>>;
};

export const operations: SearchOperations = {
  planNearest: (database, { filter }) => planNearest(database, filter),
  nearestExactly,
  nearestAmong,

  async matchingChunks(database, query) {
    const { hits: found, corrections } = await rank(database, query);
    const chunks = await loadChunks(
      database,
      found.map(({ key }) => key),
    );
    const hits = found.flatMap(({ key, rank, score }) => {
      const chunk = chunks.get(key);
      return chunk ? [{ ...chunk, score, fullText: { rank, score } }] : [];
    });
    return { hits, corrections };
  },

  async rankChunks(database, { reading, ...query }) {
    const { hits: found, corrections } = await rank(database, query);
    const chunks = await loadChunks(
      database,
      found.slice(0, reading).map(({ key }) => key),
    );
    const hits = found.map((hit) => {
      const chunk = chunks.get(hit.key);
      return chunk ? { ...hit, chunk } : hit;
    });
    return { hits, corrections };
  },

  readChunks: (database, { keys, at }) => (at === undefined ? loadChunks(database, keys) : notYet()),
  readVectors: (database, { keys, space }) => readVectors(database, keys, space),

  async countPhrases(database, { phrases, filter }) {
    const allowed = await resolveFilter(database, filter);
    const sets: Set<number>[] = [];
    for (const [phrase] of phrases) {
      const having = phrase === undefined ? new Set<number>() : await chunksWithPhrase(database, phrase);
      sets.push(new Set([...having].filter((key) => allowed?.has(key) ?? true)));
    }
    const all = [...(sets[0] ?? [])].filter((key) => sets.every((each) => each.has(key)));
    return { each: sets.map(({ size }) => size), all: all.length };
  },

  async countRetired(database, { at, filter }) {
    const passes = filter === null ? sql`` : sql`and ${toRaw(filter)}`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from document_versions v join documents d on d.key = v.document_key
      where v.retired_at is not null and v.valid_from <= ${at} and v.valid_to > ${at} ${passes}`.execute(database);
    return rows[0]?.count ?? 0;
  },

  async documentFullText(database, { terms, filter, limit, offset, at }) {
    if (at !== undefined) return notYet();
    const allowed = filter && keySet(await documentKeys(database, toRaw(filter)));
    const found = await withTerms(database, 'document_terms', {
      terms,
      rank: (index) => rankByTerms(index, { terms, allowed: allowed ?? undefined, limit: index.chunks.lengths.length }),
    });
    const hits = found
      .slice(offset, offset + limit)
      .map(({ key, score }) => ({ key, version: null, score: toTextScore(score) }));
    return { hits, total: found.length };
  },

  searchGraph: notYet,
  rankDescriptions: notYet,
};

/** PostgreSQL is no supported setting until this is gone: earlier versions, the graph and descriptions are missing. */
async function notYet(): Promise<never> {
  throw new ServiceError('internal', 'The record store on PostgreSQL has no such search yet.');
}

async function rank(database: Queries, { filter, ...query }: MatchingQuery) {
  if (filter?.past !== undefined) return notYet();
  const allowed = await resolveFilter(database, filter);
  const terms = [...query.terms, ...query.words.map(([term]) => term), ...query.identifiers.map(([whole]) => whole)];
  return withTerms(database, 'chunk_terms', { terms, rank: (index) => rankWithin(index, query, { allowed }) });
}

async function documentKeys(database: Queries, condition: ReturnType<typeof toRaw>): Promise<number[]> {
  const { rows } = await sql<{ key: number }>`select d.key from documents d where ${condition}`.execute(database);
  return rows.map(({ key }) => key);
}
