import { ServiceError } from '../../../errors.ts';
import { toTextScore } from '../../full-text/text-score.ts';
import type { VectorSpaceName } from '../../vector-index.ts';
import { rankByTerms } from '../full-text/rank-by-terms.ts';
import { presentTerms } from '../full-text/term-index.ts';
import { describeSpace } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import type { Condition } from './compile-filter.ts';
import { keySet } from './key-set.ts';
import type { Reading } from './read-snapshot.ts';
import { documentsAt, documentTermsAt } from './terms-as-of.ts';

export interface CompiledDescriptionQuery {
  /** From `analyseQuery`. */
  readonly terms: readonly string[];
  readonly near?: { readonly vector: Float32Array; readonly space: VectorSpaceName } | undefined;
  /** From `compileDocumentFilter`. */
  readonly filter: Condition | null;
  readonly at?: string | undefined;
  readonly limits: { readonly words: number; readonly meaning: number };
}

interface Ranked {
  readonly key: number;
  /** Null for the visible state. */
  readonly version: number | null;
  readonly score: number;
}

export interface RankedDescriptions {
  readonly byWords: readonly Ranked[];
  readonly byMeaning: readonly Ranked[];
  readonly total: number;
}

/**
 * Maximum vector components compared per search; in a larger corpus, only the documents that full text ranks first are
 * compared.
 */
export const MAX_COMPARED = 60_000_000;

/** Documents by full text and by vectors of their titles and summaries, each list best first. */
export function rankDescriptions(reading: Reading, query: CompiledDescriptionQuery): RankedDescriptions {
  const { terms, near, at, limits } = query;
  const documents = candidates(reading, query);
  const index = at === undefined ? presentTerms(reading, 'document_terms') : documentTermsAt(reading, at);
  const found = rankByTerms(index, { terms, allowed: keySet([...documents.keys()]), limit: documents.size });
  const show = ({ key, score }: { readonly key: number; readonly score: number }): Ranked[] => {
    const document = documents.get(key);
    return document === undefined ? [] : [{ ...document, score }];
  };
  const byWords = found.slice(0, limits.words).flatMap(({ key, score }) => show({ key, score: toTextScore(score) }));
  if (near === undefined) return { byWords, byMeaning: [], total: found.length };
  const space = requireSpace(reading, near.space);
  const max = Math.floor(MAX_COMPARED / near.vector.length);
  const compared =
    documents.size <= max
      ? documents
      : new Map(found.slice(0, max).flatMap(({ key }) => [[key, documents.get(key) ?? { key, version: null }]]));
  const nearest = compare(reading, { vector: near.vector, space, compared }).slice(0, limits.meaning);
  const words = new Set(found.map(({ key }) => key));
  const more = nearest.filter(({ key }) => !words.has(key)).length;
  return { byWords, byMeaning: nearest.flatMap(show), total: found.length + more };
}

type Candidates = ReadonlyMap<number, { readonly key: number; readonly version: number | null }>;

function candidates(reading: Reading, { filter, at }: CompiledDescriptionQuery): Candidates {
  if (at !== undefined) return documentsAt(reading, at, filter ?? undefined);
  const rows = reading.rows(
    `select d.key from documents d where d.generation > 0 and (${filter?.sql ?? 'true'})`,
    ...(filter?.parameters ?? []),
  );
  return new Map([...rows].map(([key]) => [Number(key), { key: Number(key), version: null }]));
}

function requireSpace(reading: Reading, { embedder, version, dimensions }: VectorSpaceName): number {
  const row = reading.row("select key, embedder, version, dimensions from vector_spaces where state = 'current'");
  if (row === undefined) return 0;
  const current = { embedder: String(row[1]), version: String(row[2]), dimensions: Number(row[3]) };
  if (current.embedder === embedder && current.version === version && current.dimensions === dimensions)
    return Number(row[0]);
  throw new ServiceError('embedding_mismatch', `The corpus is searched with ${describeSpace(current)} now.`);
}

interface Comparison {
  readonly vector: Float32Array;
  readonly space: number;
  readonly compared: Candidates;
}

/** Keys of the candidates, nearest first. */
function compare(reading: Reading, { vector, space, compared }: Comparison): { key: number; score: number }[] {
  const numbers = new Map([...compared].map(([number, { key, version }]) => [`${version ?? ''}/${key}`, number]));
  const found: { key: number; score: number }[] = [];
  const take = (name: string, bytes: unknown) => {
    const number = numbers.get(name);
    if (number === undefined || !(bytes instanceof Uint8Array)) return;
    const other = fromVectorBytes(bytes);
    if (other.length === vector.length) found.push({ key: number, score: dot(vector, other) });
  };
  for (const [key, bytes] of reading.rows(
    'select described_key, vector from document_vectors where space_key = ?',
    space,
  ))
    take(`/${key}`, bytes);
  if ([...compared.values()].some(({ version }) => version !== null)) {
    const rows = reading.rows(
      `select v.key, v.document_key, t.vector from version_vectors t
       join document_versions v on v.key = t.described_key where t.space_key = ?`,
      space,
    );
    for (const [version, key, bytes] of rows) take(`${version}/${key}`, bytes);
  }
  return found.sort((one, two) => two.score - one.score || one.key - two.key);
}

function dot(one: Float32Array, two: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (two[at] ?? 0);
  return sum;
}
