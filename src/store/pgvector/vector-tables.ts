import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { QuerySettings } from '../postgres/prepared.ts';
import { VECTOR_TABLES } from '../postgres/vector-index-kind.ts';

/** The table of a collection, in the schema of the records. Its comment is the collection's name. */
export const tableOf = (collection: string): string =>
  `${VECTOR_TABLES}${createHash('sha256').update(collection).digest('hex').slice(0, 16)}`;

/** Condition on `pg_class` that selects the tables of collections. */
export const isVectorTable = sql<boolean>`starts_with(relname, ${sql.lit(VECTOR_TABLES)})
  and relkind = 'r' and relnamespace = current_schema()::regnamespace`;

/** With fewer dimensions, half precision saves little, and its rounding would change the order of near neighbours. */
const MIN_HALF = 128;
/** Maximum dimensions that pgvector indexes in half precision and in full precision. */
const MAX_HALF = 4_000;
const MAX_WHOLE = 2_000;

/** Whether this version indexes vectors of this many dimensions in half precision. */
export const isHalf = (dimensions: number): boolean => dimensions >= MIN_HALF;

/**
 * How a collection is indexed. In half precision, the graph takes half the space and half the search time; hits are
 * then ranked by their full-precision vectors.
 */
export interface Graph {
  /** The indexed expression over `alias.vector`, as ranking queries have to write it. */
  vector(alias: string): RawBuilder<unknown>;
  /** The query's vector in the type of that expression. */
  query(vector: Float32Array): RawBuilder<unknown>;
}

/** Undefined for more dimensions than pgvector can index; all vectors are then compared. */
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

/** The full-precision graph of vectors with few dimensions; an earlier version used it up to `MAX_WHOLE` dimensions. */
export const wholeGraph: Graph = { vector: (alias) => sql.ref(`${alias}.vector`), query: asVector };

/** Whether a row with its vector fits in one page, so that the vector need not be stored out of line (TOAST). */
export const fitsInPage = (dimensions: number): boolean => dimensions <= MAX_WHOLE;

/** Cosine distance; 1 if either vector is zero and has no direction. This expression does not use the graph. */
export const distanceTo = (vector: Float32Array, alias: string): RawBuilder<number> =>
  sql<number>`coalesce(nullif(${sql.ref(`${alias}.vector`)} <=> ${asVector(vector)}, 'NaN'), 1)`;

export const hasDirection = (vector: Float32Array): boolean => vector.some((component) => component !== 0);

/** pgvector's binary format: number of dimensions, zero, and the components, all big-endian. */
function toBinary(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + 4 * vector.length);
  bytes.writeUInt16BE(vector.length, 0);
  bytes.writeUInt16BE(0, 2);
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).copy(bytes, 4);
  bytes.subarray(4).swap32();
  return bytes;
}

/** Candidates kept during a graph search per wanted hit; more candidates improve recall. */
const CANDIDATES_PER_HIT = 2;
const MIN_CANDIDATES = 100;
const MAX_CANDIDATES = 1_000;
const MIN_SCANNED = 20_000;

export interface GraphSearch {
  /** Number of hits. */
  readonly limit: number;
  /** Expected number of vectors visited until `limit` of them pass the filter. */
  readonly expected: number;
}

/**
 * Settings for a graph search, valid until the end of the transaction. The scan continues in order of distance until
 * enough hits pass the filter. Other plans, which would compare or sort everything, are disabled.
 */
export function graphSettings({ limit, expected }: GraphSearch): QuerySettings {
  // When the candidates are exhausted, pgvector scans the graph again.
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

/** Query for the HNSW indexes of the table named by `$1`; `half` means half precision. */
export const GRAPHS = `
  select c.relname as name, i.indisvalid as valid, i.indexprs is not null as half
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
  where i.indrelid = to_regclass($1) and a.amname = 'hnsw'`;
