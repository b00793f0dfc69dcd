import type { Document } from '../documents/document.ts';
import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus } from '../store/corpus.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { DocumentReaders } from './document-readers.ts';
import type { Enrichment } from './enrich/enrichment.ts';
import { findDuplicate } from './find-duplicate.ts';
import type { IngestionFeed } from './ingestion-feed.ts';
import type { IngestEvent, Ingestor, Submission } from './ingestor.ts';
import { type MergedSubmission, mergeEarlierFields } from './merge-earlier-fields.ts';
import { readSubmission, toPreparationJob } from './read-submission.ts';
import { typeByName } from './readers/file-types.ts';
import { imageNotRead } from './readers/image/image-reader.ts';
import { recordingNotRead } from './readers/recording.ts';

export interface SubmissionParts {
  readonly corpus: Corpus;
  readonly readers: Pick<DocumentReaders, 'prepare' | 'readsImages' | 'readsRecordings' | 'maxFileBytes'>;
  readonly collections: Pick<CollectionRecords, 'existing' | 'ensure'>;
  /** Enrichment by models; if absent, documents are stored as read. */
  readonly enrichment?: Enrichment;
  /** Receives all ingestion events. */
  readonly feed?: Pick<IngestionFeed, 'publish'>;
}

/** What an ingestor does with a submission before its ingestion begins. */
export function createSubmissions(parts: SubmissionParts): Pick<Ingestor, 'estimate' | 'readText' | 'submit'> {
  const { corpus, readers } = parts;
  return {
    async estimate(given, signal) {
      if (parts.enrichment === undefined) return null;
      const { read } = await withStoredFields(parts, given);
      if (!parts.enrichment.contextualizes(read.settings)) return null;
      parts.enrichment.check(given.settings);
      const { id, fileName, type, title, bytes, settings } = read;
      const prepared = await readers.prepare(toPreparationJob({ fileName, type }, bytes, settings), signal);
      const { chunks, summary } = prepared;
      return (await parts.enrichment.estimate({ documentId: id, title, summary, chunks }, settings)) ?? null;
    },

    async readText(given, signal) {
      const { read } = await withStoredFields(parts, given);
      refuseUnread(read, readers);
      const { fileName, type, bytes, settings } = read;
      return (await readers.prepare(toPreparationJob({ fileName, type }, bytes, settings), signal)).text;
    },

    async submit(given, { queued = false, isAwaited = false } = {}) {
      if (parts.enrichment === undefined) refuseEnrichment(given);
      else parts.enrichment.check(given.settings);
      const { submission, read, own } = await withStoredFields(parts, given);
      refuseUnread(read, readers);
      const duplicate = await findDuplicate(corpus, { submission, read, own });
      if (duplicate !== undefined) return duplicate;
      const collectionIds = await ensureCollections(parts.collections, submission);
      const { id, type, title, fileName, mediaType, bytes, contentHash, settings } = read;
      const { ownerId, metadata, newCollections, source = null, replace = false } = submission;
      const document = await corpus.begin(
        {
          id,
          ownerId,
          collectionIds,
          newCollections,
          type,
          title,
          metadata,
          source,
          fileName,
          mediaType,
          bytes,
          contentHash,
          settings,
        },
        { replace, queued, isAwaited },
      );
      const before = { documentId: document.id, attempt: document.ingestionAttempt - 1 };
      if (before.attempt > 0) parts.feed?.publish(before, supersededBy);
      return { kind: 'accepted', document };
    },
  };
}

function refuseEnrichment({ settings }: Submission): void {
  if (settings.context === undefined || settings.context === false) return;
  throw new ServiceError('not_configured', 'No model is configured for chunk enrichment.');
}

/** Rejects pictures and recordings on submission, so that a folder of them does not become many failed documents. */
function refuseUnread({ type, fileName }: MergedSubmission['read'], readers: SubmissionParts['readers']): void {
  const { isImage, isRecording } = typeByName(type) ?? {};
  if (isImage && !readers.readsImages) throw imageNotRead(fileName);
  if (isRecording && !readers.readsRecordings) throw recordingNotRead(fileName);
}

/** The event that ends an attempt when its document is submitted again. */
export const supersededBy: IngestEvent = { type: 'cancelled', reason: 'A later submission replaced it.' };

async function withStoredFields(
  { corpus, readers }: SubmissionParts,
  submission: Submission,
): Promise<MergedSubmission & { readonly own: Document | undefined }> {
  const read = await readSubmission(submission, readers.maxFileBytes);
  const own = await corpus.get(read.id);
  const isReplaced = submission.replace === true && own?.ownerId === submission.ownerId;
  if (own === undefined || !isReplaced) return { submission, read, own };
  return { ...mergeEarlierFields(own, await corpus.settingsOf(own.id), { submission, read }), own };
}

async function ensureCollections(
  collections: SubmissionParts['collections'],
  submission: Submission,
): Promise<string[]> {
  const { ownerId, newCollections = [] } = submission;
  const ids = [...new Set(submission.collectionIds.map((id) => id.toLowerCase()))];
  const own = defaultCollectionId(ownerId);
  if (ids.length === 0) ids.push(own);
  const existing = new Set([...(await collections.existing(ids)), ...newCollections.map(({ id }) => id)]);
  for (const id of ids) {
    if (!existing.has(id)) await collections.ensure({ id, ownerId, name: id === own ? 'Default' : id });
  }
  return ids;
}
