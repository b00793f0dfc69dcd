import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { toTextScore } from '../../full-text/text-score.ts';
import { rankByTerms } from '../../sql/full-text/rank-by-terms.ts';
import type { TermIndex } from '../../sql/full-text/term-index.ts';
import { keySet } from '../../sql/search/key-set.ts';
import {
  type CompiledDescriptionQuery,
  MAX_COMPARED,
  type RankedDescriptions,
} from '../../sql/search/rank-descriptions.ts';
import type { DocumentAsOf } from '../../sql/search/terms-as-of.ts';
import { currentSpace, describeSpace, type Queries } from '../../sql/vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../../sql/vector-spaces/vector-bytes.ts';
import { isSameSpace, type VectorSpaceName } from '../../vector-index.ts';
import { readKeys, toRaw } from './conditions.ts';
import { documentsAt, documentsWithin } from './past.ts';
import { type StatisticsScope, type TermSource, withPresentTerms, withTerms } from './read-terms.ts';
import type { Reading } from './reading.ts';

type Candidates = ReadonlyMap<number, DocumentAsOf>;

/** Documents by full text and by vectors of their titles and summaries, each list best first. */
export async function rankDescriptions(reading: Reading, query: CompiledDescriptionQuery): Promise<RankedDescriptions> {
  const { terms, near, limits } = query;
  const { documents, earlier } = await candidates(reading, query);
  const allowed = keySet([...documents.keys()]);
  const ranking = { terms, rank: (index: TermIndex) => rankByTerms(index, { terms, allowed, limit: documents.size }) };
  const found = await (earlier === undefined
    ? withPresentTerms(reading, 'document_terms', ranking)
    : withTerms(await reading.transaction(), { ...ranking, ...earlier }));
  const show = ({ key, score }: { readonly key: number; readonly score: number }) => {
    const document = documents.get(key);
    return document === undefined ? [] : [{ ...document, score }];
  };
  const byWords = found.slice(0, limits.words).flatMap(({ key, score }) => show({ key, score: toTextScore(score) }));
  if (near === undefined) return { byWords, byMeaning: [], total: found.length };
  const max = Math.floor(MAX_COMPARED / near.vector.length);
  const compared =
    documents.size <= max
      ? documents
      : new Map(found.slice(0, max).map(({ key }) => [key, documents.get(key) ?? { key, version: null }]));
  const nearest = (await compare(await reading.transaction(), near, compared)).slice(0, limits.meaning);
  const words = new Set(found.map(({ key }) => key));
  const more = nearest.filter(({ key }) => !words.has(key)).length;
  return { byWords, byMeaning: nearest.flatMap(show), total: found.length + more };
}

interface Found {
  readonly documents: Candidates;
  /** The sources to search instead of the current index, for a search as of an earlier time. */
  readonly earlier?: { readonly sources: readonly TermSource[]; readonly within: StatisticsScope };
}

async function candidates(reading: Reading, { filter, at }: CompiledDescriptionQuery): Promise<Found> {
  const condition = filter === null ? sql<boolean>`true` : toRaw(filter);
  if (at !== undefined) {
    const database = await reading.transaction();
    const { documents, sources } = await documentsAt(database, at, condition);
    return { documents, earlier: { sources, within: await documentsWithin(database, at) } };
  }
  const keys = await readKeys(reading, sql`select d.key from documents d where d.generation > 0 and ${condition}`);
  const documents = new Map(keys.map((key) => [key, { key, version: null }]));
  return { documents };
}

interface VectorRanking {
  readonly vector: Float32Array;
  readonly space: VectorSpaceName;
}

/** Keys of the candidates, nearest first. */
async function compare(database: Queries, { vector, space: name }: VectorRanking, compared: Candidates) {
  const space = await currentSpace(database);
  if (space === undefined) return [];
  if (!isSameSpace(space, name)) {
    throw new ServiceError('embedding_mismatch', `The corpus is searched with ${describeSpace(space)} now.`);
  }
  const numbers = new Map([...compared].map(([number, { key, version }]) => [`${version ?? ''}/${key}`, number]));
  const { rows } = await sql<{ version: number | null; key: number; vector: Uint8Array }>`
    select null as version, described_key as key, vector from document_vectors where space_key = ${space.key}
    union all
    select v.key, v.document_key, t.vector from version_vectors t join document_versions v on v.key = t.described_key
    where t.space_key = ${space.key} and ${[...compared.values()].some(({ version }) => version !== null)}`.execute(
    database,
  );
  return rows
    .flatMap(({ version, key, vector: bytes }) => {
      const number = numbers.get(`${version ?? ''}/${key}`);
      const other = fromVectorBytes(bytes);
      if (number === undefined || other.length !== vector.length) return [];
      return [{ key: number, score: vector.reduce((sum, each, at) => sum + each * (other[at] ?? 0), 0) }];
    })
    .sort((one, two) => two.score - one.score || one.key - two.key);
}
