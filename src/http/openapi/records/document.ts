import { z } from 'zod';
import { ingestionStatuses } from '../../../documents/document.ts';
import type { toReceipt } from '../../wire/deletion-receipt.ts';
import type { toDocumentHit, toDocumentRecord } from '../../wire/document-record.ts';
import type { toTextRecord } from '../../wire/text-record.ts';
import type { toDifferenceRecord, toVersionRecord } from '../../wire/version-record.ts';
import { id, ids, metadata, results, timestamp } from './shared.ts';

const members = {
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
  source: z.string().nullable().describe('Where it came from: a file: or http(s): address.'),
  file_name: z.string(),
  media_type: z.string(),
  content_hash: z.string().describe('SHA-256 of the bytes.'),
  text_length: z.int().describe('Of the extracted text, in UTF-16 code units.'),
  chunk_count: z.int(),
  published_at: timestamp.nullable().describe('Since when this version can be seen.'),
  failure: z.string().nullable().describe('Why ingestion failed.'),
  summary_status: z
    .enum(['none', 'pending', 'processing', 'success', 'failed'])
    .describe('Whether a model writes the summary; none when it is taken from the text.'),
  summary_model: z.string().nullable().describe('Who wrote the summary; null when it is taken from the text.'),
  summary_note: z.string().nullable().describe('Why no model wrote it though one was to.'),
};

/** docs/contract.md 6.1. */
export const documentRecord = z.object(members).meta({ id: 'Document' }) satisfies z.ZodType<
  ReturnType<typeof toDocumentRecord>
>;

export const documentHit = z
  .object({ ...members, search_score: z.number() })
  .meta({ id: 'DocumentHit' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toDocumentHit>]: unknown;
}>;

export const ingested = results(
  z
    .object({
      message: z.string(),
      task_id: id.nullable(),
      document_id: id.nullable().describe('Null for an estimate.'),
      estimate: z
        .object({
          model: z.string(),
          chunks: z.int(),
          known_chunks: z.int().describe('Placed before; they cost nothing.'),
          calls: z.int(),
          input_tokens: z.int(),
          output_tokens: z.int(),
          cost_usd: z.number().nullable(),
        })
        .nullish()
        .describe('With run_type "estimate": what placing the passages by a model would come to.'),
    })
    .meta({ id: 'IngestionResult' }),
);

export const receipt = results(
  z
    .object({
      success: z.literal(true),
      documents: z.int(),
      chunks: z.int(),
      vectors: z.int(),
      full_text_entries: z.int(),
      files: z.int(),
      graph_rows: z.int(),
      cached: z.int().exactOptional(),
      versions: z.int().exactOptional(),
      past_chunks: z.int().exactOptional(),
      index: z
        .object({ removed: z.int(), state: z.enum(['confirmed', 'owed']) })
        .exactOptional()
        .describe('How many passages the vector index was told to forget.'),
      verified: z
        .union([z.boolean(), z.literal('pending')])
        .exactOptional()
        .describe('Whether searches made afterwards gave nothing of it back.'),
    })
    .meta({ id: 'DeletionReceipt', description: 'What went, by kind.' }),
) satisfies z.ZodType<ReturnType<typeof toReceipt>>;

export const textRecord = z
  .object({
    document_id: id,
    start: z.int(),
    end: z.int(),
    length: z.int().describe('Of the whole text.'),
    text: z.string(),
    pages: z.array(z.object({ number: z.int(), start: z.int(), end: z.int() })),
  })
  .meta({ id: 'DocumentText' }) satisfies z.ZodType<ReturnType<typeof toTextRecord>>;

export const versionText = z.object({ ...textRecord.shape, version: z.string() }).meta({ id: 'VersionText' });

export const versionRecord = z
  .object({
    document_id: id,
    version: z.string(),
    published_at: timestamp,
    replaced_at: timestamp.nullable(),
    title: z.string(),
    document_type: z.string(),
    file_name: z.string(),
    size_in_bytes: z.int(),
    content_hash: z.string(),
    text_length: z.int(),
    chunk_count: z.int(),
    summary: z.string().nullable(),
    retired: z
      .object({
        at: timestamp,
        passages: z.int(),
        vectors: z.int(),
        full_text_entries: z.int(),
        files: z.int(),
      })
      .nullable()
      .describe('When it was given up, and what went with it.'),
  })
  .meta({ id: 'DocumentVersion' }) satisfies z.ZodType<ReturnType<typeof toVersionRecord>>;

export const differenceRecord = z
  .object({
    document_id: id,
    from: z.string(),
    to: z.string(),
    unchanged: z.int().describe('How many passages both have.'),
    differences: z.array(
      z.object({
        kind: z.enum(['removed', 'added']),
        text: z.string(),
        order: z.int(),
        start: z.int(),
        end: z.int(),
        page: z.int().nullable(),
        heading_path: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'VersionDifference' }) satisfies z.ZodType<ReturnType<typeof toDifferenceRecord>>;
