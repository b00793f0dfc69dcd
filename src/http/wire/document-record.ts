import type { Document, Metadata } from '../../documents/document.ts';
import type { FoundDocument } from '../../store/corpus.ts';

/** docs/contract.md 6.1. The members after `chunks` are additions. */
export const toDocumentRecord = (document: Document) => toDescribedRecord(document, undefined);

/** The record with the vector of its summary. */
export function toDescribedRecord(document: Document, summaryEmbedding: Float32Array | undefined) {
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
    summary_embedding: summaryEmbedding === undefined ? null : [...summaryEmbedding],
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
    summary_status: document.summaryStatus ?? 'none',
    summary_model: document.summaryBy ?? null,
    summary_note: document.summaryNote ?? null,
  };
}

/** A document found by a search. */
export function toDocumentHit(document: FoundDocument) {
  const record = toDocumentRecord(document);
  return {
    ...record,
    metadata: { ...record.metadata, search_score: document.score, search_type: document.searchedBy ?? 'full_text' },
    search_score: document.score,
  };
}

/** The caller's metadata with the members that ingestion adds: version and failure. */
function documentMetadata({ metadata, version, failure }: Document): Metadata {
  return { ...metadata, version, ...(failure === null ? {} : { failure }) };
}
