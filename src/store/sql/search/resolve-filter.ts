import type { CompiledFilter, Condition, PastFilter } from './compile-filter.ts';
import { countChanges, followChanges } from './follow-changes.ts';
import { keySet } from './key-set.ts';
import { keysWithPhrase, visibleKeys } from './keys-with-phrase.ts';
import { PAST_DOCUMENTS, VERSION_CHUNKS } from './past-tables.ts';
import type { LastingFilter, Reading, ResolvedFilter } from './read-snapshot.ts';

/**
 * The exact set of visible chunks that pass, or of those visible at the filter's time; undefined when all visible ones
 * pass. The last few results are cached.
 */
export function resolveFilter(reading: Reading, filter: CompiledFilter): ResolvedFilter | undefined {
  if (filter === null) return undefined;
  const name = JSON.stringify([filter.onChunks, filter.past?.condition, filter.phraseFilters]);
  if (filter.past === undefined && filter.phraseFilters === undefined) return lastingFilter(reading, name, filter);
  return reading.snapshot.filters.getOrCreate(name, () => ({
    keys: keySet(keysWithPhrase(reading, passingKeys(reading, filter), filter)),
    isPast: filter.past !== undefined,
  }));
}

/** Resolves a filter that is cached across writes: after a write, only what has changed is evaluated again. */
function lastingFilter(reading: Reading, name: string, filter: NonNullable<CompiledFilter>): LastingFilter {
  const { version, lastingFilters } = reading.snapshot;
  const known = lastingFilters.get(name);
  if (known?.version === version) return known;
  // Removed first, so that a filter whose update is interrupted is not used again.
  lastingFilters.delete(name);
  if (known !== undefined && followChanges(reading, known, filter.onChunks)) {
    known.version = version;
    lastingFilters.set(name, known);
    return known;
  }
  const resolved = { keys: keySet(passingKeys(reading, filter)), version, ...countChanges(reading) };
  lastingFilters.set(name, resolved);
  return resolved;
}

function passingKeys(reading: Reading, filter: NonNullable<CompiledFilter>): number[] {
  if (filter.isOpen) return visibleKeys(reading);
  return [...matchingKeys(reading, filter), ...pastKeys(reading, filter.past)];
}

const VISIBLE = 'c.document_key = d.key and c.generation = d.generation and d.generation > 0';

// Also finds chunks of an earlier version that are still visible, if that version was valid then.
function pastKeys(reading: Reading, past: PastFilter | undefined): number[] {
  if (past === undefined) return [];
  const { sql, parameters } = past.condition;
  const row = reading.row(
    `select json_group_array(c.key) from (${PAST_DOCUMENTS}) d
     cross join (${VERSION_CHUNKS}) c on c.version_key = d.version_key where (${sql})`,
    past.at,
    past.at,
    ...parameters,
  );
  return JSON.parse(String(row?.[0] ?? '[]')) as number[];
}

function matchingKeys(reading: Reading, { onChunks, onDocuments, indexed }: NonNullable<CompiledFilter>): number[] {
  if (onDocuments === null) return keysOf(reading, `documents d join chunks c on ${VISIBLE}`, onChunks);
  // Documents are far fewer than chunks, and the index on chunks leads from a document to its chunks. `cross join`
  // enforces that order. Chunks with metadata of their own are rare and checked one by one.
  const documents = indexed && isSelective(reading, indexed) ? bothOf(indexed, onDocuments) : onDocuments;
  const inherited = keysOf(reading, `documents d cross join chunks c on ${VISIBLE}`, documents);
  const own = new Set(keysOf(reading, CHUNKS_WITH_OWN_METADATA, EACH));
  if (own.size === 0) return inherited;
  const edited = keysOf(reading, CHUNKS_WITH_OWN_METADATA, onChunks);
  return [...inherited.filter((key) => !own.has(key)), ...edited];
}

/** Reading documents one by one through an index costs as much as reading this many in their order. */
const DOCUMENTS_PER_LOOKUP = 8;

function isSelective(reading: Reading, { sql, parameters }: Condition): boolean {
  const [documents] = reading.row('select max(key) from documents') ?? [];
  const most = Math.floor(Number(documents ?? 0) / DOCUMENTS_PER_LOOKUP);
  const count = `select count(*) from (select 1 from documents d where (${sql}) limit ?)`;
  return Number(reading.row(count, ...parameters, most + 1)?.[0] ?? 0) <= most;
}

const bothOf = (one: Condition, other: Condition): Condition => ({
  sql: `(${one.sql}) and (${other.sql})`,
  parameters: [...one.parameters, ...other.parameters],
});

// Must be identical to the condition of the partial index.
const CHUNKS_WITH_OWN_METADATA = `chunks c indexed by chunks_with_own_metadata
  cross join documents d on ${VISIBLE} and c.metadata <> '{}'`;
const EACH: Condition = { sql: '1 = 1', parameters: [] };

function keysOf(reading: Reading, tables: string, condition: Condition): number[] {
  const sql = `select json_group_array(c.key) from ${tables} where (${condition.sql})`;
  return JSON.parse(String(reading.row(sql, ...condition.parameters)?.[0] ?? '[]')) as number[];
}
