import { sql } from 'kysely';
import { searchGraph } from '../../sql/graph/search-graph.ts';
import {
  type MatchingQuery,
  rankWithin,
  type searchOperations,
  withChunks,
} from '../../sql/search/search-operations.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { toRaw } from './conditions.ts';
import { inRounds } from './graph-rounds.ts';
import { loadChunks } from './load-chunks.ts';
import { nearestAmong, nearestExactly, planNearest, readVectors } from './nearest.ts';
import { chunksWithPhrase, resolveFilter } from './passing.ts';
import { CHUNK_SOURCES, chunksWithin } from './past.ts';
import { rankDescriptions } from './rank-descriptions.ts';
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
  readCodes: async () => null,
  nearestByCodes: nearestExactly,

  async matchingChunks(database, query) {
    const { hits: found, corrections } = await rank(database, query);
    const chunks = await loadChunks(
      database,
      found.map(({ key }) => key),
      query.filter?.past?.at,
    );
    return { hits: withChunks(found, chunks), corrections };
  },

  rankChunks: (database, query) => rank(database, query),

  readChunks: (database, { keys, at }) => loadChunks(database, keys, at),
  readVectors: (database, { keys, space }) => readVectors(database, keys, space),

  async countPhrases(database, { phrases, filter }) {
    const allowed = await resolveFilter(database, filter);
    const sets: Set<number>[] = [];
    for (const [phrase] of phrases) {
      const having =
        phrase === undefined ? new Set<number>() : await chunksWithPhrase(database, phrase, filter?.past !== undefined);
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
    const limits = { words: offset + limit, meaning: 0 };
    const { byWords, total } = await rankDescriptions(database, { terms, filter, at, limits });
    return { hits: byWords.slice(offset), total };
  },

  async searchGraph(database, { filter, ...query }) {
    const allowed = await resolveFilter(database, filter);
    return inRounds(database, (reading) => searchGraph(reading, query, allowed));
  },

  rankDescriptions,
};

async function rank(database: Queries, { filter, ...query }: MatchingQuery) {
  const allowed = await resolveFilter(database, filter);
  const terms = [...query.terms, ...query.words.map(([term]) => term), ...query.identifiers.map(([whole]) => whole)];
  const sources = filter?.past === undefined ? CHUNK_SOURCES.slice(0, 1) : CHUNK_SOURCES;
  const within = filter?.past && (await allChunksAt(database, filter.past.at));
  return withTerms(database, { sources, within, terms, rank: (index) => rankWithin(index, query, { allowed }) });
}

/** A ranking as of a time has the frequencies and lengths of that time, whatever the filter. */
async function allChunksAt(database: Queries, at: string) {
  const stayed = { sql: 'd.published_at <= $1', parameters: [at] };
  const all = { onChunks: stayed, onDocuments: stayed, past: { at, condition: { sql: 'true', parameters: [] } } };
  return chunksWithin(database, (await resolveFilter(database, all))?.keys ?? []);
}
