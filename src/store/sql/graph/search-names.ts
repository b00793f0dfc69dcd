import { analyse } from '../../full-text/analyse.ts';
import { type CountedTerm, chooseTerms } from '../full-text/choose-terms.ts';
import type { KeySet } from '../search/key-set.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import type { GraphReading } from './graph-reading.ts';

/** A name that matches the query. */
export interface FoundName {
  readonly key: number;
  readonly name: string;
  /** Above 0, at most 1. */
  readonly score: number;
}

export interface NameQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  readonly vector: Float32Array | null;
  readonly allowed: KeySet | undefined;
  readonly limit: number;
}

/** Maximum number of candidate names scored. */
const CANDIDATES = 300;
/** Up to this many chunks, only names mentioned in them are searched rather than all names of the corpus. */
const FEW_CHUNKS = 2_000;
/** Minimum share of a name's words that the query must contain. */
const MIN_COVERAGE = 0.4;
/** Minimum vector similarity of a match. */
const MIN_SIMILARITY = 0.35;

/** Finds names by shared words and, given a vector, by similarity; only names that a passing chunk mentions. */
export function searchNames(reading: GraphReading, query: NameQuery): FoundName[] {
  const few = query.allowed !== undefined && query.allowed.size <= FEW_CHUNKS ? query.allowed : undefined;
  const mentioned = few && namesIn(reading, few);
  const found = new Map<number, FoundName>();
  for (const name of byWords(reading, query, mentioned)) found.set(name.key, name);
  for (const name of byVector(reading, query, mentioned)) {
    const known = found.get(name.key);
    if (known === undefined || known.score < name.score) found.set(name.key, name);
  }
  const best = [...found.values()].sort((one, two) => two.score - one.score || one.key - two.key);
  const visible: FoundName[] = [];
  for (const name of best) {
    if (visible.length >= query.limit) break;
    if (mentioned !== undefined || isMentioned(reading, name.key, query.allowed)) visible.push(name);
  }
  return visible;
}

function byWords(reading: GraphReading, { terms }: NameQuery, mentioned: ReadonlySet<number> | undefined): FoundName[] {
  const weights = weigh(reading, terms);
  if (weights.size === 0) return [];
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const typical = whole / weights.size;
  const found: FoundName[] = [];
  let checked = 0;
  for (const [key, name] of reading.namesWith([...weights.keys()])) {
    if (mentioned !== undefined && !mentioned.has(Number(key))) continue;
    if (++checked > CANDIDATES) break;
    const own = new Set(analyse(String(name)));
    let matched = 0;
    let total = 0;
    for (const term of own) {
      const weight = weights.get(term);
      if (weight !== undefined) matched += weight;
      total += weight ?? typical;
    }
    const coverage = total === 0 ? 0 : matched / total;
    if (coverage < MIN_COVERAGE) continue;
    found.push({ key: Number(key), name: String(name), score: coverage * coverage * Math.sqrt(matched / whole) });
  }
  return found;
}

/** Weights of the rarest known terms of the query, by their rarity among names (IDF). */
function weigh(reading: GraphReading, terms: readonly string[]): ReadonlyMap<string, number> {
  const names = Number(reading.row('select count(*) from graph_names')?.[0] ?? 0);
  const counted = terms.map(
    (term): CountedTerm => ({
      term,
      count: reading.rowsWith('graph_name_terms', term),
    }),
  );
  const counts = new Map(counted.map(({ term, count }) => [term, count]));
  return new Map(
    chooseTerms(counted).map((term) => {
      const count = counts.get(term) ?? 0;
      return [term, Math.log(1 + (names - count + 0.5) / (count + 0.5))];
    }),
  );
}

function byVector(
  reading: GraphReading,
  { vector }: NameQuery,
  mentioned: ReadonlySet<number> | undefined,
): Iterable<FoundName> {
  if (vector === null) return [];
  const found: FoundName[] = [];
  for (const [key, name, bytes] of reading.namesNear(vector, mentioned)) {
    if (!(bytes instanceof Uint8Array) || bytes.byteLength !== vector.byteLength) continue;
    const other = fromVectorBytes(bytes);
    let similarity = 0;
    for (let index = 0; index < vector.length; index++) similarity += (vector[index] ?? 0) * (other[index] ?? 0);
    if (similarity >= MIN_SIMILARITY) found.push({ key: Number(key), name: String(name), score: similarity });
  }
  return found;
}

function namesIn(reading: GraphReading, { keys }: KeySet): ReadonlySet<number> {
  const rows = reading.rows(
    `select distinct e.name_key from json_each(?) as wanted
     cross join entity_mentions m on m.chunk_key = wanted.value cross join document_entities e on e.key = m.entity_key`,
    JSON.stringify(keys),
  );
  return new Set([...rows].map(([key]) => Number(key)));
}

function isMentioned(reading: GraphReading, name: number, allowed: KeySet | undefined): boolean {
  for (const [chunk] of reading.rows(allowed === undefined ? FIRST_MENTION_OF_NAME : MENTIONS_OF_NAME, name)) {
    if (allowed === undefined || allowed.has(Number(chunk))) return true;
  }
  return false;
}

const MENTIONS_OF_NAME = `
  select m.chunk_key from document_entities e cross join entity_mentions m on m.entity_key = e.key where e.name_key = ?`;
const FIRST_MENTION_OF_NAME = `${MENTIONS_OF_NAME} limit 1`;
