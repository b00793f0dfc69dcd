import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, type RawBuilder, SqliteQueryCompiler, sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import { locateField } from '../../../documents/filter-field.ts';
import type { PhraseFilters } from '../../chunk-search.ts';
import { termSequences } from '../../full-text/term-sequences.ts';
import { filterToSql } from '../filters/to-sql.ts';

/** An SQL condition as text and bound values, which can be sent to a thread. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** A filter on chunks, for `resolveFilter`; null allows everything. */
export type CompiledFilter = {
  /** Over the chunk and its document. */
  readonly onChunks: Condition;
  /** Over the document alone, when no column of the chunk is used; correct for chunks without own metadata. */
  readonly onDocuments: Condition | null;
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

/** Each phrase as an FTS5 expression. */
export interface CompiledPhraseFilters {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

/**
 * `asOf` restricts to what was visible at that time, and `phraseFilters` to texts with certain phrases: both are
 * filters even without any other.
 */
export function compileChunkFilter(filter: Filter, asOf?: string, phraseFilters?: PhraseFilters): CompiledFilter {
  const plain = asOf === undefined ? compilePresentFilter(filter) : compilePastFilter(filter, asOf);
  const compiled = phraseFilters && compilePhraseFilters(phraseFilters);
  return compiled === undefined ? plain : { ...(plain ?? OPEN), phraseFilters: compiled };
}

function compilePhraseFilters({ required, excluded }: PhraseFilters): CompiledPhraseFilters | undefined {
  const compiled = { required: required.flatMap(compilePhrase), excluded: excluded.flatMap(compilePhrase) };
  return compiled.required.length + compiled.excluded.length === 0 ? undefined : compiled;
}

/** Empty when the analyser finds no terms in the words. */
export function compilePhrase(words: string): readonly string[] {
  const sequences = termSequences(words).map((terms) => `"${terms.join(' ').replaceAll('"', '""')}"`);
  return sequences.length === 0 ? [] : [sequences.join(' OR ')];
}

const ANY: Condition = { sql: '1 = 1', parameters: [] };
const OPEN = { onChunks: ANY, onDocuments: ANY, isOpen: true };

function compilePresentFilter(filter: Filter): CompiledFilter {
  if (filter.kind === 'all') return null;
  return {
    onChunks: compile(filterToSql(filter, 'chunk')),
    onDocuments: asksForChunkColumns(filter) ? null : compile(filterToSql(filter, 'document')),
  };
}

function compilePastFilter(filter: Filter, at: string): NonNullable<CompiledFilter> {
  const hasStayed = (condition: RawBuilder<boolean>) =>
    compile(sql<boolean>`(d.published_at <= ${at} and ${condition})`);
  return {
    onChunks: hasStayed(filterToSql(filter, 'chunk')),
    onDocuments: asksForChunkColumns(filter) ? null : hasStayed(filterToSql(filter, 'document')),
    past: { at, condition: compile(filterToSql(filter, 'chunk')) },
  };
}

/** A filter on documents; null allows everything. */
export const compileDocumentFilter = (filter: Filter): Condition | null =>
  filter.kind === 'all' ? null : compile(filterToSql(filter, 'document'));

const CHUNK_COLUMNS: readonly string[] = ['id', 'chunk_id', 'text', 'chunk_order', 'page_number'];

function asksForChunkColumns(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.some(asksForChunkColumns);
  if (!('field' in filter)) return false;
  const location = locateField(filter.field, 'chunk');
  const column =
    location.kind === 'record' ? location.field : location.kind === 'metadata' ? location.inherited : undefined;
  return column !== undefined && CHUNK_COLUMNS.includes(column);
}

function compile(condition: RawBuilder<boolean>): Condition {
  const { sql: text, parameters } = new SqliteQueryCompiler().compileQuery(
    sql`${condition}`.toOperationNode() as Parameters<SqliteQueryCompiler['compileQuery']>[0],
    createQueryId(),
  );
  return { sql: text, parameters: parameters as readonly SQLInputValue[] };
}
