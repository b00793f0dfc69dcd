import type { PassageLengths } from '../full-text/passage-lengths.ts';
import { readCount, readPostings, seekTerm, type TermIndex } from '../full-text/term-index.ts';
import type { CompiledFilter, Condition } from './compile-filter.ts';
import { DOCUMENTS_THEN } from './past-tables.ts';
import type { Moment, Reading } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';

const MOMENTS_KEPT = 4;
const ANY: Condition = { sql: '1 = 1', parameters: [] };

/** Everything that could be seen at a time. */
const allAt = (at: string): NonNullable<CompiledFilter> => {
  const stayed: Condition = { sql: 'd.published_at <= ?', parameters: [at] };
  return { onChunks: stayed, onDocuments: stayed, past: { at, condition: ANY } };
};

/**
 * The words of the passages that could be seen at a time, with the frequencies and lengths of that time: a ranking over
 * them is the one of then. What the present index holds of passages that have stayed is used as it is.
 */
export function passageTermsAt(reading: Reading, at: string): TermIndex {
  const moment = momentOf(reading, at);
  moment.passages ??= measure(resolveFilter(reading, allAt(at))?.keys.keys ?? [], (key) => {
    const present = reading.snapshot.chunkLengths().lengths[key] ?? -1;
    return present >= 0 ? present : (reading.snapshot.lengthsOf('past_chunk_terms').lengths[key] ?? -1);
  });
  return {
    passages: moment.passages,
    count: (term) => readCount(reading, 'chunk_terms', term) + readCount(reading, 'past_chunk_terms', term),
    postings: (term) => [
      ...readPostings(reading, 'chunk_terms', term),
      ...readPostings(reading, 'past_chunk_terms', term),
    ],
    seek: (from) => first(seekTerm(reading, 'chunk_terms', from), seekTerm(reading, 'past_chunk_terms', from)),
  };
}

export interface DocumentThen {
  readonly key: number;
  /** Null when the document has stayed as it was. */
  readonly version: number | null;
}

/** The documents that could be seen at a time and pass, by the keys that `documentTermsAt` ranks. */
export function documentsAt(reading: Reading, at: string, condition: Condition = ANY): Map<number, DocumentThen> {
  const documents = new Map<number, DocumentThen>();
  const base = versionBase(reading);
  const rows = reading.rows(
    `select d.key, d.version_key from (${DOCUMENTS_THEN}) d where (${condition.sql})`,
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

/** The words of the titles and summaries of that time. */
export function documentTermsAt(reading: Reading, at: string): TermIndex {
  const moment = momentOf(reading, at);
  const base = versionBase(reading);
  moment.documents ??= measure([...documentsAt(reading, at).keys()], (key) => {
    const table = key < base ? 'document_terms' : 'version_terms';
    return reading.snapshot.lengthsOf(table).lengths[key < base ? key : key - base] ?? -1;
  });
  return {
    passages: moment.documents,
    count: (term) => readCount(reading, 'document_terms', term) + readCount(reading, 'version_terms', term),
    postings: (term) => [
      ...readPostings(reading, 'document_terms', term),
      ...readPostings(reading, 'version_terms', term).map((key) => (key < 0 ? key - base : key + base)),
    ],
    seek: (from) => first(seekTerm(reading, 'document_terms', from), seekTerm(reading, 'version_terms', from)),
  };
}

/** The order of code points is the order of UTF-8's bytes. */
const first = (one: string | undefined, two: string | undefined): string | undefined =>
  one === undefined || two === undefined
    ? (one ?? two)
    : Buffer.compare(Buffer.from(one), Buffer.from(two)) <= 0
      ? one
      : two;

// Documents and versions have keys that meet; those of versions are ranked behind all documents'.
const versionBase = (reading: Reading): number => reading.snapshot.documentLengths().lengths.length;

function momentOf({ snapshot: { moments } }: Reading, at: string): Moment {
  const moment = moments.get(at) ?? {};
  moments.delete(at);
  moments.set(at, moment);
  const [oldest] = moments.keys();
  if (moments.size > MOMENTS_KEPT && oldest !== undefined) moments.delete(oldest);
  return moment;
}

function measure(keys: readonly number[], lengthOf: (key: number) => number): PassageLengths {
  const largest = keys.reduce((most, key) => Math.max(most, key), 0);
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
