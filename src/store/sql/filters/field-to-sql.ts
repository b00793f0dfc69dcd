import { type RawBuilder, sql } from 'kysely';
import type { FieldLocation, FilterTarget, RecordField } from '../../../documents/filter-field.ts';
import type { FilterSql, SqlValue } from './filter-sql.ts';

type LocatedField = Exclude<FieldLocation, { readonly kind: 'collections' }>;

/** The value of a filter's field, over the aliases `c` (chunks) and `d` (documents). */
export function fieldToSql(location: LocatedField, target: FilterTarget, engine: FilterSql): SqlValue {
  const columnValue = (field: RecordField): SqlValue => readColumn(engine, field, target);
  if (location.kind === 'record') return columnValue(location.field);
  const { path, inherited, fallback } = location;
  const ofDocument = inherited
    ? columnValue(inherited)
    : withFallback(engine.member(sql`d.metadata`, path), fallback && columnValue(fallback));
  if (target === 'document') return ofDocument;
  return eitherValue(engine.hasOwn(path[0] ?? ''), engine.member(sql`c.metadata`, path), ofDocument);
}

const withFallback = (found: SqlValue, fallback: SqlValue | undefined): SqlValue =>
  fallback ? eitherValue(sql`${found.type} is not null`, found, fallback) : found;

function eitherValue(condition: RawBuilder<unknown>, yes: SqlValue, no: SqlValue): SqlValue {
  const choose = (part: keyof SqlValue) => sql`case when ${condition} then ${yes[part]} else ${no[part]} end`;
  return { type: choose('type'), value: choose('value'), json: choose('json') };
}

type Column = readonly [kind: 'text' | 'integer', name: string, isNullable?: boolean];

const columns: Readonly<Record<Exclude<RecordField, 'id'>, Column>> = {
  chunk_id: ['text', 'c.id'],
  document_id: ['text', 'd.id'],
  owner_id: ['text', 'd.owner_id'],
  created_at: ['text', 'd.created_at'],
  updated_at: ['text', 'd.updated_at'],
  text: ['text', 'c.text'],
  title: ['text', 'd.title'],
  document_type: ['text', 'd.type'],
  version: ['text', 'd.version'],
  chunk_order: ['integer', 'c.ordinal'],
  page_number: ['integer', 'c.page', true],
  source: ['text', 'd.source', true],
  file_name: ['text', 'd.file_name'],
  media_type: ['text', 'd.media_type'],
  size_in_bytes: ['integer', 'd.size_in_bytes'],
  content_hash: ['text', 'd.content_hash'],
  ingestion_status: ['text', 'd.ingestion_status'],
  extraction_status: ['text', 'd.extraction_status'],
  summary: ['text', 'd.summary', true],
  total_tokens: ['integer', 'd.total_tokens'],
  text_length: ['integer', 'd.text_length'],
  chunk_count: ['integer', 'd.chunk_count'],
};

function readColumn(engine: FilterSql, field: RecordField, target: FilterTarget): SqlValue {
  const [kind, name, isNullable] = columns[field === 'id' ? (target === 'chunk' ? 'chunk_id' : 'document_id') : field];
  const column = sql.raw(name);
  const value = engine[kind](column);
  // A nullable column yields the JSON type 'null' when it is NULL.
  return isNullable ? { ...value, type: sql`case when ${column} is null then 'null' else ${value.type} end` } : value;
}
