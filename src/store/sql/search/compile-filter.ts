import type { SQLInputValue } from 'node:sqlite';
import { createQueryId, type RawBuilder, SqliteQueryCompiler, sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import { placeOfField } from '../../../documents/filter-field.ts';
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
  /** Set when the corpus is asked as it was at a time; the conditions above are then of what has stayed since. */
  readonly past?: PastFilter;
} | null;

export interface PastFilter {
  readonly at: string;
  /** Over the chunks and documents of earlier versions. */
  readonly condition: Condition;
}

/** `asOf` asks for what could be seen at that time, which is a filter even where there is no other. */
export function compileChunkFilter(filter: Filter, asOf?: string): CompiledFilter {
  if (asOf !== undefined) return compilePastFilter(filter, asOf);
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
