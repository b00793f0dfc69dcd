import type { DocumentVersion, VersionDifference } from '../../store/versions.ts';

/** Ours: one version of a document. The newest has no `replaced_at`; one that was given up says what went with it. */
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
  differences: difference.differences.map(({ headingPath, ...passage }) => ({
    ...passage,
    heading_path: headingPath,
  })),
});
