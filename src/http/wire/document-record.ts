import { z } from 'zod';
import type { Document, Metadata } from '../../documents/document.ts';
import { failureRemedies, ingestionStatuses } from '../../documents/document.ts';
import { type Audience, reasonFor } from '../../errors.ts';
import type { FoundDocument } from '../../store/corpus.ts';
import { id, ids, metadata, timestamp } from './record-parts.ts';

/** Addition. */
export const failureRemedy = z
  .enum(failureRemedies)
  .nullable()
  .describe(
    'What helps after a failure: another attempt, other settings first, or only another file. Null if unknown.',
  );

const documentMembers = {
  id,
  collection_ids: ids,
  owner_id: id,
  document_type: z.string().describe('Short name of the format: pdf, md, txt…'),
  metadata,
  title: z.string(),
  version: z.string().describe('v0, v1…'),
  size_in_bytes: z.int(),
  ingestion_status: z.enum(ingestionStatuses),
  extraction_status: z.enum(['pending', 'processing', 'success', 'enriched', 'failed']),
  created_at: timestamp,
  updated_at: timestamp,
  ingestion_attempt_number: z.int(),
  summary: z.string().nullable(),
  summary_embedding: z.array(z.number()).nullable(),
  total_tokens: z.int(),
  chunks: z.null(),
  source: z.string().nullable().describe('Its source: a file: or http(s): URL.'),
  file_name: z.string(),
  media_type: z.string(),
  content_hash: z.string().describe('SHA-256 of the bytes.'),
  text_length: z.int().describe('Of the extracted text, in UTF-16 code units.'),
  chunk_count: z.int(),
  published_at: timestamp.nullable().describe('Time at which this version became visible.'),
  failure: z.string().nullable().describe('Why ingestion failed.'),
  failure_remedy: failureRemedy,
  summary_status: z
    .enum(['none', 'pending', 'processing', 'success', 'failed'])
    .describe('State of the model’s summary; none for an extractive summary.'),
  summary_model: z.string().nullable().describe('The model that wrote the summary; null for an extractive summary.'),
  summary_note: z.string().nullable().describe('Why the model’s summary failed.'),
};

/** docs/contract.md 6.1. */
export const documentRecord = z.object(documentMembers).meta({ id: 'Document' }) satisfies z.ZodType<
  ReturnType<typeof toDocumentRecord>
>;

export const documentHit = z
  .object({ ...documentMembers, search_score: z.number() })
  .meta({ id: 'DocumentHit' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toDocumentHit>]: unknown;
}>;

/** docs/contract.md 6.1. The members after `chunks` are additions. By default, it can be shown to any reader. */
export const toDocumentRecord = (document: Document, audience: Audience = 'member') =>
  toDescribedRecord(document, undefined, audience);

/** The record with the vector of its summary, if one is given. */
export function toDescribedRecord(
  document: Document,
  summaryEmbedding: Float32Array | undefined,
  audience: Audience = 'member',
) {
  const shown = (reason: string | null | undefined) => (reason ? reasonFor(reason, audience) : null);
  const failure = shown(document.failure);
  return {
    id: document.id,
    collection_ids: document.collectionIds,
    owner_id: document.ownerId,
    document_type: document.type,
    metadata: documentMetadata(document, failure),
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
    failure,
    failure_remedy: document.failureRemedy ?? null,
    summary_status: document.summaryStatus ?? 'none',
    summary_model: document.summaryBy ?? null,
    summary_note: shown(document.summaryNote),
  };
}

/** A document found by a search. */
export function toDocumentHit(document: FoundDocument, audience?: Audience) {
  const record = toDocumentRecord(document, audience);
  return {
    ...record,
    metadata: { ...record.metadata, search_score: document.score, search_type: document.searchedBy ?? 'full_text' },
    search_score: document.score,
  };
}

/** The caller's metadata with the members that ingestion adds: version and failure. */
function documentMetadata({ metadata, version }: Document, failure: string | null): Metadata {
  return { ...metadata, version, ...(failure === null ? {} : { failure }) };
}
