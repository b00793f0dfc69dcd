import { type RawBuilder, sql } from 'kysely';
import type { FieldLocation, FilterTarget, RecordField } from '../../../documents/filter-field.ts';

/** A JSON value as SQL expressions: its type as in `json_type` (NULL when absent), its value, and its JSON text. */
export interface SqlValue {
  readonly type: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
  readonly json: RawBuilder<unknown>;
}

type LocatedField = Exclude<FieldLocation, { readonly kind: 'collections' }>;

/** The value of a filter's field, over the aliases `c` (chunks) and `d` (documents). */
export function fieldToSql(location: LocatedField, target: FilterTarget): SqlValue {
  if (location.kind === 'record') return columnValue(location.field, target);
  const path = jsonPath(location.path);
  const inherited = location.inherited && columnValue(location.inherited, target);
  const ofDocument = inherited ?? withFallback(member(sql`d.metadata`, path), location.fallback, target);
  if (target === 'document') return ofDocument;

  const own = member(sql`c.metadata`, path);
  // Few chunks have metadata of their own; the plain comparison avoids parsing the JSON of all other chunks.
  const isOwn = sql`(c.metadata <> '{}' and json_type(c.metadata, ${jsonPath(location.path.slice(0, 1))}) is not null)`;
  return eitherValue(isOwn, own, ofDocument);
}

/** Member of a JSON text at a path from `jsonPath`. */
export function member(json: RawBuilder<unknown>, path: string): SqlValue {
  return {
    type: sql`json_type(${json}, ${path})`,
    value: sql`json_extract(${json}, ${path})`,
    json: sql`(${json} -> ${path})`,
  };
}

/** SQLite's path to a nested key. Keys are quoted as JSON strings, which SQLite reads back exactly. */
export const jsonPath = (keys: readonly string[]): string =>
  `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`;

function withFallback(found: SqlValue, fallback: RecordField | undefined, target: FilterTarget): SqlValue {
  return fallback ? eitherValue(sql`${found.type} is not null`, found, columnValue(fallback, target)) : found;
}

function eitherValue(condition: RawBuilder<unknown>, yes: SqlValue, no: SqlValue): SqlValue {
  const choose = (part: keyof SqlValue) => sql`case when ${condition} then ${yes[part]} else ${no[part]} end`;
  return { type: choose('type'), value: choose('value'), json: choose('json') };
}

// Nullable columns yield the JSON type 'null' when they are NULL.
const text = (column: RawBuilder<unknown>, nullable = false): SqlValue => ({
  type: nullable ? sql`case when ${column} is null then 'null' else 'text' end` : sql`'text'`,
  value: column,
  json: sql`json_quote(${column})`,
});
const integer = (column: RawBuilder<unknown>, nullable = false): SqlValue => ({
  type: nullable ? sql`case when ${column} is null then 'null' else 'integer' end` : sql`'integer'`,
  value: column,
  json: sql`cast(${column} as text)`,
});

const columns: Readonly<Record<Exclude<RecordField, 'id'>, SqlValue>> = {
  chunk_id: text(sql`c.id`),
  document_id: text(sql`d.id`),
  owner_id: text(sql`d.owner_id`),
  created_at: text(sql`d.created_at`),
  updated_at: text(sql`d.updated_at`),
  text: text(sql`c.text`),
  title: text(sql`d.title`),
  document_type: text(sql`d.type`),
  version: text(sql`d.version`),
  chunk_order: integer(sql`c.ordinal`),
  page_number: integer(sql`c.page`, true),
  source: text(sql`d.source`, true),
  file_name: text(sql`d.file_name`),
  media_type: text(sql`d.media_type`),
  size_in_bytes: integer(sql`d.size_in_bytes`),
  content_hash: text(sql`d.content_hash`),
  ingestion_status: text(sql`d.ingestion_status`),
  extraction_status: text(sql`d.extraction_status`),
  summary: text(sql`d.summary`, true),
  total_tokens: integer(sql`d.total_tokens`),
  text_length: integer(sql`d.text_length`),
  chunk_count: integer(sql`d.chunk_count`),
};

const columnValue = (field: RecordField, target: FilterTarget): SqlValue =>
  field === 'id' ? columns[target === 'chunk' ? 'chunk_id' : 'document_id'] : columns[field];
