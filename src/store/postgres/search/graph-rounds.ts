import type { SQLInputValue } from 'node:sqlite';
import { type RawBuilder, sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { COMMUNITY_COLUMNS, type GraphReading, MAX_COMMUNITIES, MAX_NAMES } from '../../sql/graph/graph-reading.ts';
import { HAS_GRAPH } from '../../sql/graph/has-graph.ts';
import { likelyNames, NAMES_WITH_VECTORS, type NameCodes } from '../../sql/graph/name-codes.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { readPostings } from '../full-text/postgres-full-text.ts';
import type { Posting } from '../full-text/posting-blocks.ts';
import { PREPARED } from '../prepared.ts';
import type { Reading } from './reading.ts';

type Row = SQLInputValue[];
type GraphIndex = 'graph_name_terms' | 'graph_community_terms';

/** A query in SQLite syntax, with its values. */
interface FullTextQuery {
  readonly query: string;
  readonly values: readonly SQLInputValue[];
}

/** Maximum queries per round: once some are answered, later ones may turn out to be unnecessary. */
const MAX_WANTED = 500;

/** Whether the graph is empty, so that no rounds are needed. */
export async function isGraphEmpty(reading: Reading): Promise<boolean> {
  const rows = await reading.rows(QUERY, 'prepared');
  return rows[0]?.has_graph === 0;
}

const QUERY = sql<{ has_graph: number }>`${sql.raw(HAS_GRAPH)}`;

class RoundIsFull extends Error {}

/**
 * Runs a synchronous graph search over the data fetched so far, fetches what was missing, and repeats until nothing is.
 * Queries of a round that differ only in their values are sent as one. Without `names`, no name is found by its vector.
 */
export async function inRounds<Result>(
  database: Queries,
  names: NameCodes | undefined,
  search: (reading: GraphReading) => Result,
): Promise<Result> {
  const rows = new Map<string, Row[]>();
  const postings = new Map<string, readonly Posting[]>();
  const sizes = new Map<string, Sizes>();
  const ofSizes = readSizes(database).then((found) => {
    for (const each of found) sizes.set(each.name, each);
  });
  // Awaited in the first round, which is never reached if the search throws.
  ofSizes.catch(() => {});
  for (;;) {
    const wanted = new Map<string, FullTextQuery>();
    const terms = new Set<string>();
    let result: Result | undefined;
    try {
      result = search(readingOf({ rows, postings, sizes, names, wanted, terms }));
    } catch (error) {
      if (!(error instanceof RoundIsFull)) throw error;
    }
    if (wanted.size + terms.size === 0) return result as Result;
    const ofTerms = [...Map.groupBy(terms, (name) => name.slice(0, name.indexOf(' ')))].map(async ([table, names]) => {
      const own = names.map((name) => name.slice(table.length + 1));
      const found = await readPostings(database, table as GraphIndex, own);
      for (const term of own) postings.set(`${table} ${term}`, found.get(term) ?? []);
    });
    const ofQueries = [...Map.groupBy(wanted, ([, each]) => each.query)].map(async ([query, same]) => {
      const lists = same.map(([, { values }]) => values);
      const answers = await answersOf(database, query, lists);
      for (const [index, [name]] of same.entries()) rows.set(name, answers.get(index + 1) ?? []);
    });
    // The connection is pipelined: a round takes one round trip.
    await Promise.all([ofSizes, ...ofTerms, ...ofQueries]);
  }
}

interface Sizes {
  readonly entries: number;
  readonly length: number;
}

async function readSizes(database: Queries): Promise<readonly (Sizes & { readonly name: string })[]> {
  const { rows } = await sql<Sizes & { name: string }>`${sql.raw(PREPARED)}
    select name, entries, length from full_text_sizes`.execute(database);
  return rows;
}

interface Round {
  readonly rows: ReadonlyMap<string, Row[]>;
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  readonly sizes: ReadonlyMap<string, Sizes>;
  readonly names: NameCodes | undefined;
  /** Missing queries and, below, terms; filled while the search runs. */
  readonly wanted: Map<string, FullTextQuery>;
  readonly terms: Set<string>;
}

function readingOf({ rows: known, postings, sizes, names, wanted, terms }: Round): GraphReading {
  const rows = (query: string, ...values: readonly SQLInputValue[]) => {
    const name = JSON.stringify([query, ...values]);
    const found = known.get(name);
    if (found === undefined) wanted.set(name, { query, values });
    if (wanted.size >= MAX_WANTED) throw new RoundIsFull();
    return (found ?? [])[Symbol.iterator]() as IterableIterator<Row>;
  };
  const postingsOf = (table: GraphIndex, term: string): readonly Posting[] => {
    const found = postings.get(`${table} ${term}`);
    if (found === undefined) terms.add(`${table} ${term}`);
    return found ?? [];
  };
  const ranked = (table: GraphIndex, words: readonly string[], max: number) =>
    rank(
      words.map((term) => postingsOf(table, term)),
      sizes.get(table),
    ).slice(0, max);
  const rowsOf = (query: string, found: readonly Ranked[]) => {
    const byKey = new Map([...rows(query, JSON.stringify(found.map(([key]) => key)))].map((row) => [row[0], row]));
    return found.flatMap(([key, score]) => {
      const row = byKey.get(key);
      return row === undefined ? [] : [[...row, -score]];
    });
  };
  return {
    rows,
    row: (query, ...values) => rows(query, ...values).next().value,
    rowsWith: (table, term) => postingsOf(table, term).length,
    namesWith: (words) => rowsOf(NAMES, ranked('graph_name_terms', words, MAX_NAMES)),
    namesNear(vector, among) {
      if (names === undefined) return [];
      const keys = likelyNames(names, vector, (key) => among?.has(key) ?? true);
      return rows(NAMES_WITH_VECTORS, JSON.stringify(keys), names.set.spaceKey);
    },
    communitiesWith: (words) => rowsOf(COMMUNITIES, ranked('graph_community_terms', words, MAX_COMMUNITIES)),
  };
}

const NAMES = 'select n.key, n.name from json_each(?) as wanted join graph_names n on n.key = wanted.value';
const COMMUNITIES = `
  select ${COMMUNITY_COLUMNS} from json_each(?) as wanted join shown_graph_communities c on c.key = wanted.value`;

type Ranked = readonly [key: number, score: number];

const K1 = 1.2;
const B = 0.75;

/** BM25 as FTS5 computes it, so that both engines rank alike. */
function rank(lists: readonly (readonly Posting[])[], sizes: Sizes | undefined): Ranked[] {
  const scores = new Map<number, number>();
  const { entries, length: sum } = sizes ?? { entries: 0, length: 0 };
  for (const postings of lists) {
    const rarity = Math.log((entries - postings.length + 0.5) / (postings.length + 0.5));
    for (const { key, title, body, length } of postings) {
      const count = title + body;
      const share = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length * entries) / sum));
      scores.set(key, (scores.get(key) ?? 0) + Math.max(rarity, 1e-6) * share);
    }
  }
  return [...scores].sort((one, two) => two[1] - one[1] || one[0] - two[0]);
}

/** The rows of a query for each of these lists of values, by the position of the list, counted from 1. */
async function answersOf(
  database: Queries,
  query: string,
  all: readonly (readonly SQLInputValue[])[],
): Promise<ReadonlyMap<number, Row[]>> {
  const columns = (all[0] ?? []).map((value, column): RawBuilder<unknown> => {
    const type = sql.raw(typeof value === 'string' ? 'text[]' : 'bigint[]');
    return sql`${all.map((values) => values[column])}::${type}`;
  });
  const names = columns.map((_, column) => sql.ref(`a${column + 1}`));
  const numbered = sql`${all.map((_, index) => index + 1)}::integer[]`;
  const { rows } = await sql<{ readonly n: number } & Readonly<Record<string, SQLInputValue>>>`${sql.raw(PREPARED)}
    select v.n, q.* from unnest(${sql.join([numbered, ...columns])})
      as v (${sql.join([sql.ref('n'), ...names])})
    cross join lateral (${sql.raw(toPostgres(query))}) as q`.execute(database);
  // The search reads columns by position, but rows arrive as objects, so no column name may occur twice.
  const answers = Map.groupBy(rows, ({ n }) => n);
  return new Map([...answers].map(([n, found]) => [n, found.map(({ n: _, ...row }) => Object.values(row))]));
}

/** Translates a query of the graph search to PostgreSQL; its values become columns of `v`. */
function toPostgres(query: string): string {
  let count = 0;
  const translated = query
    .replaceAll('cross join', 'join')
    .replaceAll(/\?(\d*)/g, (_, number: string) => `v.a${number === '' ? ++count : number}`)
    .replaceAll(
      /json_each\(([^)]+)\) as wanted/g,
      '(select value::bigint as value from json_array_elements_text($1::json)) as wanted',
    )
    .replaceAll(/json_each\(([^)]+)\)/g, 'json_array_elements_text($1::json)');
  if (translated.includes('match ')) throw new ServiceError('internal', 'This query is for SQLite only.');
  return translated;
}
