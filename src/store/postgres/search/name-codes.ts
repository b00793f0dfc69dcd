import { sql } from 'kysely';
import { addNameCodes, isSameSet, type NameCodes, type NameSet, uncodedNames } from '../../sql/graph/name-codes.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../../sql/vector-spaces/vector-bytes.ts';
import { numbers } from '../array-values.ts';
import { PREPARED } from '../prepared.ts';
import type { SearchCache } from './reading.ts';

/** The codes of all name vectors, cached for the process; undefined without a space. Only new names are read. */
export async function readNameCodes(
  database: Queries,
  cache: Pick<SearchCache, 'nameCodes'>,
): Promise<NameCodes | undefined> {
  const set = await readNameSet(database);
  const known = cache.nameCodes;
  if (set === undefined || (known !== undefined && isSameSet(known.set, set))) return set && known;
  const { rows } = await sql<{ key: number }>`${sql.raw(PREPARED)}
    select name_key as key from graph_name_vectors where space_key = ${set.spaceKey} order by name_key`.execute(
    database,
  );
  const keys = rows.map(({ key }) => key);
  const vectors = await readVectors(database, set.spaceKey, uncodedNames(known, set, keys));
  const codes = addNameCodes(known, set, { keys, vectors });
  cache.nameCodes = codes;
  return codes;
}

async function readNameSet(database: Queries): Promise<NameSet | undefined> {
  const { rows } = await sql<NameSet>`${sql.raw(PREPARED)}
    select s.key as "spaceKey", s.dimensions, count(v.name_key) as count, coalesce(max(v.name_key), 0) as "lastKey",
      coalesce(sum(v.name_key::float8), 0) as sum, coalesce(sum(v.name_key::float8 * v.name_key), 0) as "sumOfSquares"
    from vector_spaces s left join graph_name_vectors v on v.space_key = s.key
    where s.state = 'current' group by s.key, s.dimensions`.execute(database);
  return rows[0];
}

async function readVectors(
  database: Queries,
  spaceKey: number,
  keys: readonly number[],
): Promise<ReadonlyMap<number, Float32Array>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: number; vector: Uint8Array }>`${sql.raw(PREPARED)}
    select name_key as key, vector from graph_name_vectors
    where space_key = ${spaceKey} and name_key in ${numbers(keys)}`.execute(database);
  return new Map(rows.map(({ key, vector }) => [key, fromVectorBytes(vector)]));
}
