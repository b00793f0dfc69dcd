import type { NameCodesCache, Reading } from '../search/read-snapshot.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { addNameCodes, isSameSet, type NameCodes, type NameSet, uncodedNames } from './name-codes.ts';

/** The codes of all name vectors, cached for the connection; undefined without a space. Only new names are read. */
export function readNameCodes({ snapshot, row, rows }: Reading): NameCodes | undefined {
  const cache: NameCodesCache = snapshot.nameCodes;
  if (cache.version === snapshot.version) return cache.codes;
  const found = row(NAME_SET);
  cache.codes = found && renew(cache.codes, toNameSet(found), rows);
  cache.version = snapshot.version;
  return cache.codes;
}

function renew(known: NameCodes | undefined, set: NameSet, rows: Reading['rows']): NameCodes {
  if (known !== undefined && isSameSet(known.set, set)) return known;
  const keys = Array.from(rows(KEYS, set.spaceKey), ([key]) => Number(key));
  const uncoded = JSON.stringify(uncodedNames(known, set, keys));
  const vectors = new Map<number, Float32Array>();
  for (const [key, bytes] of rows(VECTORS, uncoded, set.spaceKey)) {
    if (bytes instanceof Uint8Array) vectors.set(Number(key), fromVectorBytes(bytes));
  }
  return addNameCodes(known, set, { keys, vectors });
}

const toNameSet = (row: readonly unknown[]): NameSet => {
  const [spaceKey = 0, dimensions = 0, count = 0, lastKey = 0, sum = 0, sumOfSquares = 0] = row.map(Number);
  return { spaceKey, dimensions, count, lastKey, sum, sumOfSquares };
};

const NAME_SET = `
  select s.key, s.dimensions, count(v.name_key), coalesce(max(v.name_key), 0), total(v.name_key),
    total(v.name_key * v.name_key)
  from vector_spaces s left join graph_name_vectors v on v.space_key = s.key
  where s.state = 'current' group by s.key`;

const KEYS = 'select name_key from graph_name_vectors where space_key = ? order by name_key';

const VECTORS = `
  select v.name_key, v.vector from json_each(?) as wanted
  cross join graph_name_vectors v on v.space_key = ? and v.name_key = wanted.value`;
