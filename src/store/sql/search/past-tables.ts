/**
 * Subqueries for documents and chunks as of a point in time, with the columns that filters use. Owners and collections
 * are the current ones, because access to the past requires access today.
 */

/** Every kept earlier version, in the form of its document. Conditions on `v` and `o` can follow. */
export const VERSIONS_AS_DOCUMENTS = `
  select o.key, o.id, o.owner_id, v.type, v.title, v.metadata, v.version, v.source, v.file_name, v.media_type,
    v.size_in_bytes, v.content_hash, 'success' as ingestion_status, o.extraction_status, null as failure, o.attempt,
    v.summary, case when v.summary_by is null then 'none' else 'success' end as summary_status, v.summary_by,
    null as summary_note, v.settings, null as submitted, v.total_tokens, v.text_length, v.chunk_count, o.generation,
    v.valid_from as published_at, o.created_at, v.updated_at, v.key as version_key
  from document_versions v join documents o on o.key = v.document_key
  where v.retired_at is null`;

/** Binds the time twice: replaced versions that were valid then. */
export const PAST_DOCUMENTS = `${VERSIONS_AS_DOCUMENTS} and v.valid_from <= ? and v.valid_to > ?`;

/** The visible documents under the same columns, with 0 for the version. Conditions on `o` can follow. */
export const PRESENT_DOCUMENTS = `
  select o.key, o.id, o.owner_id, o.type, o.title, o.metadata, o.version, o.source, o.file_name, o.media_type,
    o.size_in_bytes, o.content_hash, 'success' as ingestion_status, o.extraction_status, null as failure, o.attempt,
    o.summary, o.summary_status, o.summary_by, o.summary_note, o.settings, null as submitted, o.total_tokens, o.text_length, o.chunk_count, o.generation,
    o.published_at, o.created_at, o.updated_at, 0 as version_key
  from documents o where o.generation > 0`;

/** Binds the time three times: every document that was visible then. */
export const DOCUMENTS_AS_OF = `${PRESENT_DOCUMENTS} and o.published_at <= ? union all ${PAST_DOCUMENTS}`;

/** The chunks of all versions, with their positions. */
export const VERSION_CHUNKS = `
  select m.version_key, m.chunk_key as key, m.ordinal, m.start_offset, m.end_offset, m.page,
    coalesce(c.id, p.id) as id, coalesce(c.text, p.text) as text,
    coalesce(c.heading_path, p.heading_path) as heading_path, coalesce(c.metadata, p.metadata) as metadata
  from version_chunks m left join chunks c on c.key = m.chunk_key left join past_chunks p on p.key = m.chunk_key`;
