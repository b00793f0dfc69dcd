import { type RawBuilder, sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import { locateField } from '../../../documents/filter-field.ts';
import { ServiceError } from '../../../errors.ts';
import type { PhraseFilters } from '../../chunk-search.ts';
import { termSequences } from '../../full-text/term-sequences.ts';
import { filterToSql } from '../filters/to-sql.ts';
import type { Condition, SqlDialect } from '../sql-dialect.ts';

export type { Condition } from '../sql-dialect.ts';

/** A filter on chunks, for `resolveFilter`; null allows everything. */
export type CompiledFilter = {
  /** Over the chunk and its document. */
  readonly onChunks: Condition;
  /** Over the document alone, when no column of the chunk is used; correct for chunks without own metadata. */
  readonly onDocuments: Condition | null;
  /** Answered by an index, and met by every document that passes; fast if only a few documents meet it. */
  readonly indexed?: Condition;
  /** Set when there are only phrase filters, and the conditions above allow everything. */
  readonly isOpen?: boolean;
  readonly phraseFilters?: CompiledPhraseFilters;
  /** Set for a query as of a point in time; the conditions above then select content that is unchanged since. */
  readonly past?: PastFilter;
} | null;

export interface PastFilter {
  readonly at: string;
  /** Over the chunks and documents of earlier versions. */
  readonly condition: Condition;
}

/** Each phrase in the syntax of the dialect. */
export interface CompiledPhraseFilters {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

/**
 * `asOf` restricts to what was visible at that time, and `phraseFilters` to texts with certain phrases: both are
 * filters even without any other.
 */
export interface Restrictions {
  readonly asOf?: string | undefined;
  readonly phraseFilters?: PhraseFilters | undefined;
}

export type CompileChunkFilter = (filter: Filter, restrictions?: Restrictions) => CompiledFilter;

/** Compiles each filter object once: both legs of a search, and all its pages, share the same filter object. */
export function chunkFilterCompiler(dialect: SqlDialect): CompileChunkFilter {
  const known = new WeakMap<Filter, CompiledFilter>();
  const compilePresent = (filter: Filter): CompiledFilter => {
    const compiled = known.get(filter) ?? compilePresentFilter(dialect, filter);
    known.set(filter, compiled);
    return compiled;
  };
  return (filter, { asOf, phraseFilters } = {}) => {
    const plain = asOf === undefined ? compilePresent(filter) : compilePastFilter(dialect, filter, asOf);
    const phrases = phraseFilters && compilePhraseFilters(dialect, phraseFilters);
    return phrases === undefined ? plain : { ...(plain ?? OPEN), phraseFilters: phrases };
  };
}

export const compileChunkFilter = (dialect: SqlDialect, filter: Filter, restrictions?: Restrictions): CompiledFilter =>
  chunkFilterCompiler(dialect)(filter, restrictions);

function compilePhraseFilters(
  dialect: SqlDialect,
  { required, excluded }: PhraseFilters,
): CompiledPhraseFilters | undefined {
  const compileAll = (phrases: readonly string[]) => phrases.flatMap((words) => compilePhrase(dialect, words));
  const both = { required: compileAll(required), excluded: compileAll(excluded) };
  return both.required.length + both.excluded.length === 0 ? undefined : both;
}

/** Empty when the analyser finds no terms in the words. */
export function compilePhrase(dialect: SqlDialect, words: string): readonly string[] {
  const sequences = termSequences(words);
  return sequences.length === 0 ? [] : [dialect.phrase(sequences)];
}

/**
 * Most values that a condition may bind. SQLite accepts 32,766 per statement; PostgreSQL accepts 65,535, but its
 * statements may contain the condition three times.
 */
const MAX_BOUND = 20_000;

function compileBounded({ compile }: SqlDialect, condition: RawBuilder<boolean>): Condition {
  const compiled = compile(condition);
  if (compiled.parameters.length <= MAX_BOUND) return compiled;
  throw new ServiceError(
    'invalid_request',
    'The filter has too many conditions with lists of values. Use fewer conditions with longer lists.',
  );
}

const ANY: Condition = { sql: '1 = 1', parameters: [] };
const OPEN = { onChunks: ANY, onDocuments: ANY, isOpen: true };

function compilePresentFilter(dialect: SqlDialect, filter: Filter): CompiledFilter {
  if (filter.kind === 'all') return null;
  const { filters } = dialect;
  const onChunks = compileBounded(dialect, filterToSql(filter, 'chunk', filters));
  if (asksForChunkColumns(filter)) return { onChunks, onDocuments: null };
  const onDocuments = compileBounded(dialect, filterToSql(filter, 'document', filters));
  const indexed = filters.indexed?.(filter);
  return { onChunks, onDocuments, ...(indexed && { indexed: compileBounded(dialect, indexed) }) };
}

function compilePastFilter(dialect: SqlDialect, filter: Filter, at: string): NonNullable<CompiledFilter> {
  const { filters } = dialect;
  const hasStayed = (condition: RawBuilder<boolean>) =>
    compileBounded(dialect, sql<boolean>`(d.published_at <= ${at} and ${condition})`);
  return {
    onChunks: hasStayed(filterToSql(filter, 'chunk', filters)),
    onDocuments: asksForChunkColumns(filter) ? null : hasStayed(filterToSql(filter, 'document', filters)),
    past: { at, condition: compileBounded(dialect, filterToSql(filter, 'chunk', filters)) },
  };
}

/** A filter on documents; null allows everything. */
export const compileDocumentFilter = (dialect: SqlDialect, filter: Filter): Condition | null =>
  filter.kind === 'all' ? null : compileBounded(dialect, filterToSql(filter, 'document', dialect.filters));

const CHUNK_COLUMNS: readonly string[] = ['id', 'chunk_id', 'text', 'chunk_order', 'page_number'];

function asksForChunkColumns(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.some(asksForChunkColumns);
  if (!('field' in filter)) return false;
  const location = locateField(filter.field, 'chunk');
  const column =
    location.kind === 'record' ? location.field : location.kind === 'metadata' ? location.inherited : undefined;
  return column !== undefined && CHUNK_COLUMNS.includes(column);
}
