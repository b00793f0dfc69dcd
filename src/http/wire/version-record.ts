import { z } from 'zod';
import type { DocumentVersion, VersionDifference } from '../../store/versions.ts';
import { id, timestamp } from './record-parts.ts';

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
      .describe('When its content was deleted, and what was deleted.'),
  })
  .meta({ id: 'DocumentVersion' }) satisfies z.ZodType<ReturnType<typeof toVersionRecord>>;

export const differenceRecord = z
  .object({
    document_id: id,
    from: z.string(),
    to: z.string(),
    unchanged: z.int().describe('Number of chunks in both.'),
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

/** Addition: a version of a document. The newest has no `replaced_at`; `retired` lists what was removed from it. */
export function toVersionRecord(documentId: string, version: DocumentVersion) {
  const { retired } = version;
  return {
    document_id: documentId,
    version: version.version,
    published_at: version.publishedAt,
    replaced_at: version.replacedAt,
    title: version.title,
    document_type: version.type,
    file_name: version.fileName,
    size_in_bytes: version.sizeInBytes,
    content_hash: version.contentHash,
    text_length: version.textLength,
    chunk_count: version.chunkCount,
    summary: version.summary,
    retired: retired && {
      at: retired.at,
      passages: retired.receipt.passages,
      vectors: retired.receipt.vectors,
      full_text_entries: retired.receipt.fullTextEntries,
      files: retired.receipt.files,
    },
  };
}

export const toDifferenceRecord = (documentId: string, difference: VersionDifference) => ({
  document_id: documentId,
  from: difference.from,
  to: difference.to,
  unchanged: difference.unchanged,
  differences: difference.differences.map(({ headingPath, ...chunk }) => ({
    ...chunk,
    heading_path: headingPath,
  })),
});
