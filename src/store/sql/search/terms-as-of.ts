import type { ChunkLengths } from '../full-text/chunk-lengths.ts';
import { concatenated } from '../full-text/postings.ts';
import { readCount, readPostings, seekTerm, type TermIndex } from '../full-text/term-index.ts';
import type { CompiledFilter, Condition } from './compile-filter.ts';
import { DOCUMENTS_AS_OF } from './past-tables.ts';
import type { Reading, TermsAsOf } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';

const ANY: Condition = { sql: '1 = 1', parameters: [] };

/** Everything visible at a point in time. */
const everythingVisibleAt = (at: string): NonNullable<CompiledFilter> => {
  const unchangedSince: Condition = { sql: 'd.published_at <= ?', parameters: [at] };
  return { onChunks: unchangedSince, onDocuments: unchangedSince, past: { at, condition: ANY } };
};

/**
 * Term statistics of the chunks visible at a point in time, with the frequencies and lengths of that time, so that they
 * rank as they did then. Postings of unchanged chunks are read from the current index.
 */
export function chunkTermsAt(reading: Reading, at: string): TermIndex {
  const terms = termsOf(reading, at);
  terms.chunks ??= measure(resolveFilter(reading, everythingVisibleAt(at))?.keys.keys ?? [], (key) => {
    const present = reading.snapshot.chunkLengths().lengths[key] ?? -1;
    return present >= 0 ? present : (reading.snapshot.lengthsOf('past_chunk_terms').lengths[key] ?? -1);
  });
  return {
    chunks: terms.chunks,
    count: (term) => readCount(reading, 'chunk_terms', term) + readCount(reading, 'past_chunk_terms', term),
    postings: (term) =>
      concatenated(readPostings(reading, 'chunk_terms', term), readPostings(reading, 'past_chunk_terms', term)),
    seek: (from) => first(seekTerm(reading, 'chunk_terms', from), seekTerm(reading, 'past_chunk_terms', from)),
  };
}

export interface DocumentAsOf {
  readonly key: number;
  /** Null if the document is unchanged since then. */
  readonly version: number | null;
}

/** The documents visible at a point in time that pass, by the keys that `documentTermsAt` ranks. */
export function documentsAt(reading: Reading, at: string, condition: Condition = ANY): Map<number, DocumentAsOf> {
  const documents = new Map<number, DocumentAsOf>();
  const base = versionBase(reading);
  const rows = reading.rows(
    `select d.key, d.version_key from (${DOCUMENTS_AS_OF}) d where (${condition.sql})`,
    at,
    at,
    at,
    ...condition.parameters,
  );
  for (const [key, version] of rows) {
    const isPresent = version === 0;
    documents.set(isPresent ? Number(key) : base + Number(version), {
      key: Number(key),
      version: isPresent ? null : Number(version),
    });
  }
  return documents;
}

/** Term statistics of the titles and summaries of that time. */
export function documentTermsAt(reading: Reading, at: string): TermIndex {
  const terms = termsOf(reading, at);
  const base = versionBase(reading);
  terms.documents ??= measure([...documentsAt(reading, at).keys()], (key) => {
    const table = key < base ? 'document_terms' : 'version_terms';
    return reading.snapshot.lengthsOf(table).lengths[key < base ? key : key - base] ?? -1;
  });
  return {
    chunks: terms.documents,
    count: (term) => readCount(reading, 'document_terms', term) + readCount(reading, 'version_terms', term),
    postings: (term) => {
      const past = readPostings(reading, 'version_terms', term);
      const shifted = { ...past, keys: past.keys.map((key) => key + base) };
      return concatenated(readPostings(reading, 'document_terms', term), shifted);
    },
    seek: (from) => first(seekTerm(reading, 'document_terms', from), seekTerm(reading, 'version_terms', from)),
  };
}

/** Code point order equals the order of UTF-8 bytes. */
function first(one: string | undefined, two: string | undefined): string | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  return Buffer.compare(Buffer.from(one), Buffer.from(two)) <= 0 ? one : two;
}

// Keys of documents and of versions overlap, so keys of versions are shifted behind all documents' keys.
const versionBase = (reading: Reading): number => reading.snapshot.documentLengths().lengths.length;

const termsOf = ({ snapshot }: Reading, at: string): TermsAsOf => snapshot.termsAsOf.getOrCreate(at, () => ({}));

function measure(keys: readonly number[], lengthOf: (key: number) => number): ChunkLengths {
  const largest = keys.reduce((max, key) => Math.max(max, key), 0);
  const lengths = new Int32Array(largest + 1).fill(-1);
  let total = 0;
  for (const key of keys) {
    const length = lengthOf(key);
    lengths[key] = length;
    total += length;
  }
  const count = keys.length;
  return { lengths, count, mean: count === 0 ? 0 : total / count, scores: new Float64Array(largest + 1) };
}
