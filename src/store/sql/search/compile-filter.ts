import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, type RawBuilder, SqliteQueryCompiler, sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import { placeOfField } from '../../../documents/filter-field.ts';
import type { Wording } from '../../chunk-search.ts';
import { termSequences } from '../../full-text/term-sequences.ts';
import { filterToSql } from '../to-sql.ts';

/** A condition as text and bound values, fit to be sent to a thread. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** A filter on chunks, ready for `resolveFilter`; null lets everything through. */
export type CompiledFilter = {
  /** Over the chunk and its document. */
  readonly onChunks: Condition;
  /** Over the document alone, where no column of the chunk is asked for; right for chunks without own metadata. */
  readonly onDocuments: Condition | null;
  /** Set when only words are asked for or excluded, and the conditions above let everything through. */
  readonly isOpen?: boolean;
  readonly wording?: CompiledWording;
  /** Set when the corpus is asked as it was at a time; the conditions above are then of what has stayed since. */
  readonly past?: PastFilter;
} | null;

export interface PastFilter {
  readonly at: string;
  /** Over the chunks and documents of earlier versions. */
  readonly condition: Condition;
}

/** Each an expression of FTS5. */
export interface CompiledWording {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

/**
 * `asOf` asks for what could be seen at that time, and `wording` for words: both are filters even where there is no
 * other.
 */
export function compileChunkFilter(filter: Filter, asOf?: string, wording?: Wording): CompiledFilter {
  const plain = asOf === undefined ? compilePresentFilter(filter) : compilePastFilter(filter, asOf);
  const compiled = wording && compileWording(wording);
  return compiled === undefined ? plain : { ...(plain ?? OPEN), wording: compiled };
}

function compileWording({ required, excluded }: Wording): CompiledWording | undefined {
  const compiled = { required: required.flatMap(compilePhrase), excluded: excluded.flatMap(compilePhrase) };
  return compiled.required.length + compiled.excluded.length === 0 ? undefined : compiled;
}

/** None for words in which the analyser finds no terms. */
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

/** A filter on documents; null lets everything through. */
export const compileDocumentFilter = (filter: Filter): Condition | null =>
  filter.kind === 'all' ? null : compile(filterToSql(filter, 'document'));

const CHUNK_COLUMNS: readonly string[] = ['id', 'chunk_id', 'text', 'chunk_order', 'page_number'];

function asksForChunkColumns(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.some(asksForChunkColumns);
  if (!('field' in filter)) return false;
  const place = placeOfField(filter.field, 'chunk');
  const column = place.kind === 'record' ? place.field : place.kind === 'metadata' ? place.inherited : undefined;
  return column !== undefined && CHUNK_COLUMNS.includes(column);
}

function compile(condition: RawBuilder<boolean>): Condition {
  const { sql: text, parameters } = new SqliteQueryCompiler().compileQuery(
    sql`${condition}`.toOperationNode() as Parameters<SqliteQueryCompiler['compileQuery']>[0],
    createQueryId(),
  );
  return { sql: text, parameters: parameters as readonly SQLInputValue[] };
}
