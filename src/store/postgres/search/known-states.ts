import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { PREPARED, type QuerySettings, settingsMark } from '../prepared.ts';
import type { IndexVersion } from './term-cache.ts';

const cachedIndexes = ['chunk_terms', 'document_terms'] as const;
/** A full-text index whose terms are cached. */
export type CachedIndex = (typeof cachedIndexes)[number];

/** A state of the database, as far as cached data depends on it. */
export interface State {
  /** Differs between any two states. */
  readonly name: string;
  /** Version of documents, chunks, vectors and memberships. */
  readonly content: number;
  readonly indexes: Readonly<Record<CachedIndex, IndexVersion>>;
}

/** Thrown if the database is not in the state that a search assumed. */
export class StateMoved extends Error {}

/** The database states that searches have seen most recently. */
export interface KnownStates {
  /** The state that the next search will most likely see, because the last two searches saw it. */
  likely(): State | undefined;
  note(state: State): void;
  /** Called after a write, so that no search assumes the state before it. */
  forget(): void;
}

export function createKnownStates(): KnownStates {
  let latest: State | undefined;
  let isSettled = false;
  return {
    likely: () => (isSettled ? latest : undefined),
    note(state) {
      isSettled = latest?.name === state.name;
      latest = state;
    },
    forget() {
      latest = undefined;
      isSettled = false;
    },
  };
}

/** Reads the current state; with `first`, begins a transaction and reads its state. */
export async function readState(database: Queries, first: 'begin;' | '' = ''): Promise<State> {
  const mark = sql.raw(first === '' ? PREPARED : first);
  const { rows } = await sql<IndexVersion & { readonly index: CachedIndex; readonly content: number }>`${mark}
    select s.name as index, s.version, s.removed, s.entries, s.length, c.version as content
    from full_text_sizes s cross join cluster_content c where s.name in (${INDEXES})`.execute(database);
  const of = (name: CachedIndex): IndexVersion => rows.find(({ index }) => index === name) ?? EMPTY;
  const indexes = { chunk_terms: of('chunk_terms'), document_terms: of('document_terms') };
  const content = rows[0]?.content ?? 0;
  return { name: [content, ...cachedIndexes.map((index) => indexes[index].version)].join(' '), content, indexes };
}

const INDEXES = sql.raw(cachedIndexes.map((name) => `'${name}'`).join(', '));
const EMPTY: IndexVersion = { version: 0, removed: 0, entries: 0, length: 0 };

/** SQL expression for the `name` of the state that a statement sees. */
const NAME = sql.raw(
  `(select c.version || ' ' || ${cachedIndexes
    .map((name) => `coalesce((select version from full_text_sizes where name = '${name}'), 0)`)
    .join(` || ' ' || `)} from cluster_content c)`,
);

interface QueryInState<Row> {
  readonly query: RawBuilder<Row>;
  readonly isPrepared: boolean;
  readonly settings?: QuerySettings | undefined;
}

/** Runs a query and checks, in the same statement, that the state has this name. Throws StateMoved if not. */
export async function rowsInState<Row>(
  database: Queries,
  name: string,
  { query, isPrepared, settings }: QueryInState<Row>,
): Promise<Row[]> {
  const mark = sql.raw(`${settings === undefined ? '' : settingsMark(settings)}${isPrepared ? PREPARED : ''}`);
  const { rows } = await sql<Row & { readonly seen_state: string; readonly is_row: number | null }>`${mark}
    with state_now as materialized (select ${NAME} as seen_state)
    select s.seen_state, q.* from state_now s left join (select true as is_row, r.* from (${query}) r) q on true
    `.execute(database);
  if (rows[0]?.seen_state !== name) throw new StateMoved();
  return rows.filter(({ is_row }) => is_row !== null);
}
