import { sql } from 'kysely';
import type { RankedChunk } from '../../chunk-search.ts';
import { noGraphFinding } from '../../graph-search.ts';
import type { AllowedChunks } from '../../sql/full-text/correct-words.ts';
import { createVocabulary, isWorthReading, type Vocabulary } from '../../sql/full-text/filter-vocabulary.ts';
import { type Ranking, rankWithin } from '../../sql/full-text/rank-within.ts';
import type { TermIndex } from '../../sql/full-text/term-index.ts';
import { searchGraph } from '../../sql/graph/search-graph.ts';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import { type KeySet, keySet } from '../../sql/search/key-set.ts';
import { type MatchingQuery, type searchOperations, withChunks } from '../../sql/search/search-operations.ts';
import { numbers } from '../array-values.ts';
import { nearestByCodes, readCodes } from './codes.ts';
import { toRaw } from './conditions.ts';
import { inRounds, isGraphEmpty } from './graph-rounds.ts';
import { loadChunks, loadChunksById } from './load-chunks.ts';
import { readNameCodes } from './name-codes.ts';
import { nearestAmong, nearestExactly, planNearest, readVectors } from './nearest.ts';
import { chunksWithPhrase, nameOfFilter, resolveFilter } from './passing.ts';
import { CHUNK_SOURCES, chunksWithin } from './past.ts';
import { rankDescriptions } from './rank-descriptions.ts';
import { withPresentTerms, withTerms } from './read-terms.ts';
import type { Reading } from './reading.ts';

type Known = typeof searchOperations;

/** The search operations of the record store, over one state of the database. */
export type SearchOperations = {
  readonly [Name in keyof Known]: (
    reading: Reading,
    query: Parameters<Known[Name]>[1],
  ) => Promise<ReturnType<Known[Name]>>;
};

export const operations: SearchOperations = {
  planNearest: (reading, { filter }) => planNearest(reading, filter),
  nearestExactly,
  nearestAmong,
  readCodes,
  copyLengths: async () => null,
  nearestByCodes,

  async matchingChunks(reading, query) {
    const { hits: found, corrections } = await rank(reading, query);
    const chunks = await loadChunks(
      reading,
      found.map(({ key }) => key),
      query.filter?.past?.at,
    );
    return { hits: withChunks(found, chunks), corrections };
  },

  rankChunks: (reading, query) => rank(reading, query),

  readChunks: (reading, { keys, at }) => loadChunks(reading, keys, at),
  readChunksById: (reading, { ids }) => loadChunksById(reading, ids),
  readVectors: (reading, { keys, space }) => readVectors(reading, keys, space),

  async countPhrases(reading, { phrases, filter }) {
    const allowed = await resolveFilter(reading, filter);
    const database = await reading.transaction();
    const sets: Set<number>[] = [];
    for (const [phrase] of phrases) {
      const withPhrase =
        phrase === undefined ? new Set<number>() : await chunksWithPhrase(database, phrase, filter?.past !== undefined);
      sets.push(new Set([...withPhrase].filter((key) => allowed?.has(key) ?? true)));
    }
    const all = [...(sets[0] ?? [])].filter((key) => sets.every((each) => each.has(key)));
    return { each: sets.map(({ size }) => size), all: all.length };
  },

  async countRetired(reading, { at, filter }) {
    const passes = filter === null ? sql`` : sql`and ${toRaw(filter)}`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from document_versions v join documents d on d.key = v.document_key
      where v.retired_at is not null and v.valid_from <= ${at} and v.valid_to > ${at} ${passes}`.execute(
      await reading.transaction(),
    );
    return rows[0]?.count ?? 0;
  },

  async documentFullText(reading, { terms, filter, limit, offset, at }) {
    const limits = { words: offset + limit, meaning: 0 };
    const { byWords, total } = await rankDescriptions(reading, { terms, filter, at, limits });
    return { hits: byWords.slice(offset), total };
  },

  async searchGraph(reading, { filter, ...query }) {
    if (await isGraphEmpty(reading)) return noGraphFinding;
    const allowed = await resolveFilter(reading, filter);
    const database = await reading.transaction();
    const names = query.vector === null ? undefined : await readNameCodes(database, reading.cache);
    return inRounds(database, names, (graph) => searchGraph(graph, query, allowed));
  },

  rankDescriptions,
};

/** Evaluates `readable` only if a word of the query is missing in the chunks that pass the filter. */
async function rank(reading: Reading, { readable, ...query }: MatchingQuery): Promise<Ranking<RankedChunk>> {
  if (readable === undefined) return rankAllowed(reading, query, {});
  if (readable === null) return rankAllowed(reading, query, { readable });
  let isNeeded = false;
  const assumingNone = () => {
    isNeeded = true;
    return NO_KEYS;
  };
  const found = await rankAllowed(reading, query, { readable: assumingNone });
  if (!isNeeded) return found;
  const keys = await resolveFilter(reading, readable);
  return rankAllowed(reading, query, { readable: () => keys });
}

const NO_KEYS = keySet([]);

async function rankAllowed(
  reading: Reading,
  { filter, ...query }: Omit<MatchingQuery, 'readable'>,
  readable: Pick<AllowedChunks, 'readable'>,
): Promise<Ranking<RankedChunk>> {
  const allowed = await resolveFilter(reading, filter);
  const terms = [...query.terms, ...query.words.map(([term]) => term), ...query.identifiers.map(([whole]) => whole)];
  const vocabulary = allowed && filter?.past === undefined ? await vocabularyOf(reading, filter, allowed) : undefined;
  const own = () => vocabulary;
  const within = { allowed, own, few: own, ...readable };
  const ranking = { terms, rank: (index: TermIndex) => rankWithin(index, query, within) };
  if (filter?.past === undefined) return withPresentTerms(reading, 'chunk_terms', ranking);
  const statistics = await allChunksAt(reading, filter.past.at);
  return withTerms(await reading.transaction(), { ...ranking, sources: CHUNK_SOURCES, within: statistics });
}

/** The terms of the chunks that pass a filter; undefined if there are too many or reading them is not worth it yet. */
async function vocabularyOf(
  reading: Reading,
  filter: CompiledFilter,
  { keys }: KeySet,
): Promise<Vocabulary | undefined> {
  const { vocabularies } = reading.cache;
  const name = nameOfFilter(reading, filter);
  const known = vocabularies.get(name);
  if (known?.wasRead) return known.terms;
  const queries = (known?.queries ?? 0) + 1;
  const wasRead = isWorthReading(keys, queries);
  const terms = wasRead ? await readVocabulary(reading, keys) : undefined;
  vocabularies.set(name, { queries, wasRead, terms });
  return terms;
}

async function readVocabulary(reading: Reading, keys: readonly number[]): Promise<Vocabulary | undefined> {
  const query = sql<{ key: number; title: string; body: string }>`
    select key, title, body from chunk_terms where key in ${numbers(keys)}`;
  const rows = await reading.rows(query, 'prepared');
  rows.sort((one, two) => one.key - two.key);
  return createVocabulary(rows, keys.length);
}

/** A ranking as of a point in time uses the term frequencies and lengths at that time, whatever the filter. */
async function allChunksAt(reading: Reading, at: string) {
  const stayed = { sql: 'd.published_at <= $1', parameters: [at] };
  const all = { onChunks: stayed, onDocuments: stayed, past: { at, condition: { sql: 'true', parameters: [] } } };
  return chunksWithin(await reading.transaction(), (await resolveFilter(reading, all))?.keys ?? []);
}
