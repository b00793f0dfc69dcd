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

function columnValue(field: RecordField, target: FilterTarget): SqlValue {
  switch (field) {
    case 'id':
      return text(target === 'chunk' ? sql`c.id` : sql`d.id`);
    case 'chunk_id':
      return text(sql`c.id`);
    case 'document_id':
      return text(sql`d.id`);
    case 'owner_id':
      return text(sql`d.owner_id`);
    case 'created_at':
      return text(sql`d.created_at`);
    case 'updated_at':
      return text(sql`d.updated_at`);
    case 'text':
      return text(sql`c.text`);
    case 'title':
      return text(sql`d.title`);
    case 'document_type':
      return text(sql`d.type`);
    case 'version':
      return text(sql`d.version`);
    case 'chunk_order':
      return integer(sql`c.ordinal`);
    case 'page_number':
      return integer(sql`c.page`, true);
    case 'source':
      return text(sql`d.source`, true);
    case 'file_name':
      return text(sql`d.file_name`);
    case 'media_type':
      return text(sql`d.media_type`);
    case 'size_in_bytes':
      return integer(sql`d.size_in_bytes`);
    case 'content_hash':
      return text(sql`d.content_hash`);
    case 'ingestion_status':
      return text(sql`d.ingestion_status`);
    case 'extraction_status':
      return text(sql`d.extraction_status`);
    case 'summary':
      return text(sql`d.summary`, true);
    case 'total_tokens':
      return integer(sql`d.total_tokens`);
    case 'text_length':
      return integer(sql`d.text_length`);
    case 'chunk_count':
      return integer(sql`d.chunk_count`);
  }
}
