/** Fields of a record other than metadata, by the name a filter uses. */
export type RecordField =
  | 'id'
  | 'chunk_id'
  | 'document_id'
  | 'owner_id'
  | 'created_at'
  | 'updated_at'
  | 'text'
  | 'title'
  | 'document_type'
  | 'version'
  | 'chunk_order'
  | 'page_number'
  | 'source'
  | 'file_name'
  | 'media_type'
  | 'size_in_bytes'
  | 'content_hash'
  | 'ingestion_status'
  | 'extraction_status'
  | 'summary'
  | 'total_tokens'
  | 'text_length'
  | 'chunk_count';

/** Kind of record a filter applies to: a chunk with its document, or a document alone. */
export type FilterTarget = 'chunk' | 'document';

/**
 * Where the value of a filter's `field` is stored.
 *
 * `record`: in that field only. `collections`: the document's collections; `single` is the shorthand `collection_id`,
 * which tests one of them. `metadata`: at `path` in the metadata; a chunk's own value for the path's first key
 * overrides the document's. `inherited` comes between the chunk's own metadata and the document's, `fallback` after
 * both.
 */
export type FieldLocation =
  | { readonly kind: 'record'; readonly field: RecordField; readonly isIdentifier: boolean }
  | { readonly kind: 'collections'; readonly single: boolean }
  | {
      readonly kind: 'metadata';
      readonly path: readonly string[];
      readonly inherited?: RecordField;
      readonly fallback?: RecordField;
    };

const IDENTIFIERS: readonly string[] = ['id', 'chunk_id', 'document_id', 'owner_id'];
const ALWAYS_RECORD: readonly RecordField[] = ['id', 'document_id', 'owner_id', 'created_at', 'updated_at'];
const ONLY_OF_CHUNKS: readonly RecordField[] = ['chunk_id', 'text'];
const INHERITED: readonly RecordField[] = ['title', 'document_type', 'version'];
const INHERITED_BY_CHUNKS: readonly RecordField[] = ['chunk_order', 'page_number'];
// A user's own metadata may use these names, and then takes precedence.
const FALLBACK: readonly RecordField[] = [
  'source',
  'file_name',
  'media_type',
  'size_in_bytes',
  'content_hash',
  'ingestion_status',
  'extraction_status',
  'summary',
  'total_tokens',
  'text_length',
  'chunk_count',
];
const METADATA_PREFIX = 'metadata.';

/** Resolves a field name, docs/contract.md 4.2. Unknown names resolve to metadata that no record has. */
export function locateField(name: string, target: FilterTarget): FieldLocation {
  if (name.startsWith(METADATA_PREFIX)) {
    const path = name.slice(METADATA_PREFIX.length);
    const inherited = inheritedField(path, target);
    return { kind: 'metadata', path: path.split('.'), ...(inherited && { inherited }) };
  }
  if (name === 'collection_ids' || name === 'collection_id') {
    return { kind: 'collections', single: name === 'collection_id' };
  }
  const field = memberOf(target === 'chunk' ? [...ALWAYS_RECORD, ...ONLY_OF_CHUNKS] : ALWAYS_RECORD, name);
  if (field) return { kind: 'record', field, isIdentifier: IDENTIFIERS.includes(name) };
  const inherited = inheritedField(name, target);
  if (inherited) return { kind: 'metadata', path: [name], inherited };
  const fallback = name === 'type' ? 'document_type' : memberOf(FALLBACK, name);
  return { kind: 'metadata', path: name.split('.'), ...(fallback && { fallback }) };
}

const inheritedField = (name: string, target: FilterTarget): RecordField | undefined =>
  memberOf(target === 'chunk' ? [...INHERITED, ...INHERITED_BY_CHUNKS] : INHERITED, name);

const memberOf = (fields: readonly RecordField[], name: string): RecordField | undefined =>
  fields.find((field) => field === name);
