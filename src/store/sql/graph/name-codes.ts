import { codingOf } from '../vector-codes/coding-of.ts';
import { likelyKeys } from '../vector-codes/likely-keys.ts';
import type { CodeSegment } from '../vector-codes/loaded-codes.ts';

/** The names that have vectors in the current space. Keys are never used again, so other sets differ in a number. */
export interface NameSet {
  readonly spaceKey: number;
  readonly dimensions: number;
  readonly count: number;
  readonly lastKey: number;
  readonly sum: number;
  readonly sumOfSquares: number;
}

/** Codes of the vectors of a set of names, by which the most similar names are preselected without reading vectors. */
export interface NameCodes {
  readonly set: NameSet;
  readonly segment: CodeSegment;
}

/** Maximum number of names whose vectors are compared exactly. */
const MAX_COMPARED = 300;

export const isSameSet = (one: NameSet, two: NameSet): boolean =>
  one.spaceKey === two.spaceKey &&
  one.count === two.count &&
  one.lastKey === two.lastKey &&
  one.sum === two.sum &&
  one.sumOfSquares === two.sumOfSquares;

/** Those of the keys of a set that these codes lack. */
export function uncodedNames(known: NameCodes | undefined, { spaceKey }: NameSet, keys: readonly number[]): number[] {
  if (known?.set.spaceKey !== spaceKey) return [...keys];
  const coded = new Set(known.segment.keys);
  return keys.filter((key) => !coded.has(key));
}

/** The codes of a set: those that are known already, and those of the vectors of all other names. */
export function addNameCodes(
  known: NameCodes | undefined,
  set: NameSet,
  names: { readonly keys: readonly number[]; readonly vectors: ReadonlyMap<number, Float32Array> },
): NameCodes {
  const { encode, words } = codingOf(set.dimensions);
  const size = words * Int32Array.BYTES_PER_ELEMENT;
  const before = known?.set.spaceKey === set.spaceKey ? known.segment : undefined;
  const rowOf = new Map(Array.from(before?.keys ?? [], (key, row) => [key, row]));
  const keys = new Int32Array(new SharedArrayBuffer(names.keys.length * Int32Array.BYTES_PER_ELEMENT));
  const codes = new Int32Array(new SharedArrayBuffer(names.keys.length * size));
  const bytes = new Uint8Array(codes.buffer);
  let count = 0;
  for (const key of names.keys) {
    const row = rowOf.get(key);
    const vector = names.vectors.get(key);
    if (before !== undefined && row !== undefined) {
      codes.set(before.codes.subarray(row * words, (row + 1) * words), count * words);
    } else if (vector?.length === set.dimensions) {
      bytes.set(encode(vector), count * size);
    } else {
      continue;
    }
    keys[count++] = key;
  }
  return { set, segment: { keys, codes, count } };
}

/** Keys of the names that are probably the most similar to this vector, in no particular order. */
export function likelyNames(
  { set, segment }: NameCodes,
  vector: Float32Array,
  passes: (key: number) => boolean,
): number[] {
  if (vector.length !== set.dimensions || segment.count === 0) return [];
  return likelyKeys(codingOf(set.dimensions), { segments: [segment], vector, count: MAX_COMPARED, passes });
}

/** Binds the keys as JSON and the key of the space. */
export const NAMES_WITH_VECTORS = `
  select x.name_key, n.name, x.vector from json_each(?) as wanted
  cross join graph_name_vectors x on x.space_key = ? and x.name_key = wanted.value
  cross join graph_names n on n.key = x.name_key`;
