import type { Document, Metadata } from '../../documents/document.ts';

/** r2r-v3.md 6.1. The members after `chunks` are ours. */
export function toDocumentRecord(document: Document) {
  return {
    id: document.id,
    collection_ids: document.collectionIds,
    owner_id: document.ownerId,
    document_type: document.type,
    metadata: documentMetadata(document),
    title: document.title,
    version: document.version,
    size_in_bytes: document.sizeInBytes,
    ingestion_status: document.ingestionStatus,
    extraction_status: document.extractionStatus,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
    ingestion_attempt_number: document.ingestionAttempt,
    summary: document.summary,
    summary_embedding: null,
    total_tokens: document.totalTokens,
    chunks: null,
    source: document.source,
    file_name: document.fileName,
    media_type: document.mediaType,
    content_hash: document.contentHash,
    text_length: document.textLength,
    chunk_count: document.chunkCount,
    published_at: document.publishedAt ?? null,
    failure: document.failure,
  };
}

/** A document that a search found. */
export function toDocumentHit(document: Document & { readonly score: number }) {
  const record = toDocumentRecord(document);
  return {
    ...record,
    metadata: { ...record.metadata, search_score: document.score, search_type: 'full_text' },
    search_score: document.score,
  };
}

/** The caller's metadata with what ingestion adds to it: the version, and why it failed. */
function documentMetadata({ metadata, version, failure }: Document): Metadata {
  return { ...metadata, version, ...(failure === null ? {} : { failure }) };
}
