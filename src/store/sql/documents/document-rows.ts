import type { Selectable } from 'kysely';
import type {
  Document,
  ExtractionStatus,
  FailureRemedy,
  IngestionStatus,
  Metadata,
  SummaryStatus,
} from '../../../documents/document.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import type { DocumentTable } from './document-tables.ts';

/** `version_key` is that of an earlier version; 0 or absent for the visible state. */
export type DocumentRow = Selectable<DocumentTable> & { readonly version_key?: number };

/**
 * The fields a submission sets on its document. They are stored separately while the submission waits to replace a
 * visible document.
 */
export interface Submitted {
  readonly type: string;
  readonly title: string;
  readonly metadata: Metadata;
  readonly source: string | null;
  readonly fileName: string;
  readonly mediaType: string;
  readonly sizeInBytes: number;
  readonly contentHash: string;
  readonly collectionIds: readonly string[];
}

export const readSubmitted = ({ submitted }: Pick<DocumentRow, 'submitted'>): Submitted | null =>
  submitted === null ? null : (JSON.parse(submitted) as Submitted);

/** The columns of `documents` that a submission fills. */
export function toColumns(submitted: Submitted) {
  return {
    type: submitted.type,
    title: submitted.title,
    metadata: JSON.stringify(submitted.metadata),
    source: submitted.source,
    file_name: submitted.fileName,
    media_type: submitted.mediaType,
    size_in_bytes: submitted.sizeInBytes,
    content_hash: submitted.contentHash,
  };
}

/** The settings of the document's latest ingestion. */
export const settingsIn = ({ settings }: Pick<DocumentRow, 'settings'>): Metadata => JSON.parse(settings) as Metadata;

/** The documents of these rows, in order, each with the fields of its pending replacement, if any. */
export async function toDocuments(database: Queries, rows: readonly DocumentRow[]): Promise<Document[]> {
  if (rows.length === 0) return [];
  const memberships = await database
    .selectFrom('document_collections')
    .selectAll()
    .where(
      'document_key',
      'in',
      rows.map((row) => row.key),
    )
    .orderBy('collection_id')
    .execute();
  const collectionsOf = Map.groupBy(memberships, (membership) => membership.document_key);
  return rows.map((row) => {
    const collectionIds = (collectionsOf.get(row.key) ?? []).map((membership) => membership.collection_id);
    return toDocument(row, collectionIds);
  });
}

function toDocument(row: DocumentRow, collectionIds: readonly string[]): Document {
  return {
    id: row.id,
    ownerId: row.owner_id,
    collectionIds,
    type: row.type,
    title: row.title,
    metadata: JSON.parse(row.metadata) as Metadata,
    version: row.version,
    ...((row.version_key ?? 0) > 0 && { isReplaced: true }),
    source: row.source,
    fileName: row.file_name,
    mediaType: row.media_type,
    sizeInBytes: row.size_in_bytes,
    contentHash: row.content_hash,
    ingestionStatus: row.ingestion_status as IngestionStatus,
    extractionStatus: row.extraction_status as ExtractionStatus,
    failure: row.failure,
    failureRemedy: row.failure === null ? null : (row.failure_remedy as FailureRemedy | null),
    ingestionAttempt: row.attempt,
    summary: row.summary,
    summaryStatus: row.summary_status as SummaryStatus,
    summaryBy: row.summary_by,
    summaryNote: row.summary_note,
    totalTokens: row.total_tokens,
    textLength: row.text_length,
    chunkCount: row.chunk_count,
    publishedAt: row.published_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...readSubmitted(row),
  };
}

export const findRow = (database: Queries, id: string): Promise<DocumentRow | undefined> =>
  database.selectFrom('documents').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
