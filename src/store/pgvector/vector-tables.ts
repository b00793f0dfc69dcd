import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { QuerySettings } from '../postgres/prepared.ts';
import { VECTOR_TABLES } from '../postgres/vector-index-kind.ts';

/** The table of a collection, in the schema of the records. Its comment is the collection's name. */
export const tableOf = (collection: string): string =>
  `${VECTOR_TABLES}${createHash('sha256').update(collection).digest('hex').slice(0, 16)}`;

/** Whether a table is one of a collection, for a condition on `pg_class`. */
export const isVectorTable = sql<boolean>`starts_with(relname, ${sql.lit(VECTOR_TABLES)})
  and relkind = 'r' and relnamespace = current_schema()::regnamespace`;

/** With few dimensions little is saved, and the rounding decides between near neighbours. */
const MIN_HALF = 128;
/** The most dimensions of vectors that pgvector indexes in half precision, and as they are. */
const MAX_HALF = 4_000;
const MAX_WHOLE = 2_000;

/** Whether vectors of so many dimensions are indexed in half precision, by this version. */
export const isHalf = (dimensions: number): boolean => dimensions >= MIN_HALF;

/**
 * How a collection is indexed. In half precision, its graph is half as large, and searched in half the time; hits are ranked by
 * the whole vectors.
 */
export interface Graph {
  /** The indexed expression over `alias.vector`, as ranking queries have to write it. */
  vector(alias: string): RawBuilder<unknown>;
  /** The query's vector in the type of that expression. */
  query(vector: Float32Array): RawBuilder<unknown>;
}

/** Undefined for more dimensions than pgvector indexes; all vectors are compared then. */
export function graphOf(dimensions: number): Graph | undefined {
  if (dimensions > MAX_HALF) return undefined;
  if (!isHalf(dimensions)) return wholeGraph;
  const half = sql.raw(`halfvec(${dimensions})`);
  return {
    vector: (alias) => sql`(${sql.ref(`${alias}.vector`)}::${half})`,
    query: (vector) => sql`${asVector(vector)}::${half}`,
  };
}

export function asVector(vector: Float32Array): RawBuilder<unknown> {
  return sql`${toBinary(vector)}::vector`;
}

/** The graph of few dimensions, which an earlier version made up to `MAX_WHOLE` of them. */
export const wholeGraph: Graph = { vector: (alias) => sql.ref(`${alias}.vector`), query: asVector };

/** Whether a row with the vector fits in a page, where it is compared without reading from elsewhere. */
export const fitsInPage = (dimensions: number): boolean => dimensions <= MAX_WHOLE;

/** Cosine distance; 1 where one of them is zero and has no direction. The expression does not use the graph. */
export const distanceTo = (vector: Float32Array, alias: string): RawBuilder<number> =>
  sql<number>`coalesce(nullif(${sql.ref(`${alias}.vector`)} <=> ${asVector(vector)}, 'NaN'), 1)`;

export const hasDirection = (vector: Float32Array): boolean => vector.some((component) => component !== 0);

/** The binary form of pgvector's type: number of dimensions, zero, and the components, the highest byte first. */
function toBinary(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + 4 * vector.length);
  bytes.writeUInt16BE(vector.length, 0);
  bytes.writeUInt16BE(0, 2);
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).copy(bytes, 4);
  bytes.subarray(4).swap32();
  return bytes;
}

/** Candidates kept while the graph is searched, per hit that is wanted; more find more of the nearest. */
const CANDIDATES_PER_HIT = 2;
const MIN_CANDIDATES = 100;
const MAX_CANDIDATES = 1_000;
const MIN_SCANNED = 20_000;

export interface GraphSearch {
  /** Number of hits. */
  readonly limit: number;
  /** Expected number of vectors met until so many of them pass the filter. */
  readonly expected: number;
}

/**
 * Settings for a search of the graph, until the end of the transaction. It continues until enough hits pass the filter,
 * in order of distance; the planner's other ways, which would compare or sort everything, are excluded.
 */
export function graphSettings({ limit, expected }: GraphSearch): QuerySettings {
  // When they are used up, the graph is searched anew.
  const candidates = Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, CANDIDATES_PER_HIT * limit, expected));
  return {
    'hnsw.ef_search': candidates,
    'hnsw.iterative_scan': 'strict_order',
    'hnsw.max_scan_tuples': Math.max(MIN_SCANNED, 4 * expected),
    'hnsw.scan_mem_multiplier': 8,
    enable_seqscan: 'off',
    enable_sort: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  };
}

/** Indexes of a table: `half` is a graph in half precision. Takes the name of the table. */
export const GRAPHS = `
  select c.relname as name, i.indisvalid as valid, i.indexprs is not null as half
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
  where i.indrelid = to_regclass($1) and a.amname = 'hnsw'`;
