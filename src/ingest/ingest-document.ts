import { setTimeout as sleep } from 'node:timers/promises';
import type { Document, Metadata } from '../documents/document.ts';
import { defaultCollectionId } from '../documents/ids.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus } from '../store/corpus.ts';
import type { IngestionQueue } from '../store/ingestion-queue.ts';
import type { CollectionRecords } from '../store/records.ts';
import { type Attempt, TakenOver } from '../store/taken-over.ts';
import type { VectorSpaces } from '../store/vector-spaces.ts';
import { type CarriedOver, carryOver } from './carry-over.ts';
import type { DocumentReaders } from './document-readers.ts';
import type { Enrichment } from './enrich/enrichment.ts';
import { findDuplicate } from './find-duplicate.ts';
import type { IngestionFeed } from './ingestion-feed.ts';
import type { IngestEvent, Ingestor, RetryDecision, Submission } from './ingestor.ts';
import { createKeyedLimit } from './keyed-limit.ts';
import type { PreparedDocument } from './prepare-document.ts';
import { publishChunks, titleFor } from './publish-chunks.ts';
import { readSubmission, toPreparationJob } from './read-submission.ts';
import { typeByName } from './readers/file-types.ts';
import { imageNotRead } from './readers/image/image-reader.ts';
import { recordingNotRead } from './readers/recording.ts';
import type { SplitChunk } from './split-text.ts';
import { MAX_MESSAGE_BYTES } from './stored-job.ts';

export interface IngestorParts {
  readonly corpus: Corpus;
  readonly readers: Pick<DocumentReaders, 'prepare' | 'readsImages' | 'readsRecordings' | 'maxFileBytes'>;
  readonly spaces: Pick<VectorSpaces, 'claim'>;
  readonly collections: Pick<CollectionRecords, 'get' | 'ensure'>;
  readonly embeddings: EmbeddingModel;
  readonly queue: Pick<IngestionQueue, 'hold' | 'release'>;
  /** Enrichment by models; if absent, documents are stored as read. */
  readonly enrichment?: Enrichment;
  /** Receives all ingestion events. */
  readonly feed?: Pick<IngestionFeed, 'publish'>;
  /** Documents processed concurrently; default 4. */
  readonly documents?: number;
}

const DOCUMENTS_AT_ONCE = 4;
const RELEASE_PAUSE_MS = 1_000;
const RELEASE_TRIES = 300;

/** A document and the attempt that its writes belong to. */
interface Begun {
  readonly document: Document;
  readonly held: Attempt;
}

/** Creates the ingestor of a corpus. Interrupted ingestions are resumed at the next start. */
export function createIngestor(parts: IngestorParts): Ingestor {
  const { corpus, readers } = parts;
  const turns = createKeyedLimit(parts.documents ?? DOCUMENTS_AT_ONCE);

  async function* run(
    id: string,
    signal: AbortSignal,
    decideRetry: RetryDecision = isFinal,
  ): AsyncGenerator<IngestEvent, void> {
    let isOver = false;
    let mine: Attempt | undefined;
    try {
      const end = await turns.begin(id, signal);
      try {
        const document = await requireDocument(corpus, id);
        const attempt = document.ingestionAttempt;
        const held = await holdOf(document);
        if (held instanceof TakenOver) {
          isOver = true;
          yield { type: 'failed', document, error: held };
          return;
        }
        mine = held;
        for await (const event of events({ document, held }, signal, decideRetry)) {
          // The server that has taken the task over publishes its further events.
          if (event.type === 'failed' && event.error instanceof TakenOver) isOver = true;
          else {
            // The server of the later submission publishes this as well, but possibly after the failure it causes here.
            const isReplaced = event.type === 'failed' && event.document.ingestionAttempt !== attempt;
            parts.feed?.publish({ documentId: id, attempt }, isReplaced ? supersededBy : event);
          }
          yield event;
        }
        isOver = true;
      } finally {
        end();
      }
    } finally {
      // The caller was aborted or stopped listening: the task returns to the queue.
      if (!isOver) await putBack(id, mine);
    }
  }

  /**
   * Retries a failed release in the background, for example while the database restarts. Meanwhile no other process
   * takes the task, because this one still holds it.
   */
  async function releaseLater(id: string, held: Attempt): Promise<void> {
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      await sleep(RELEASE_PAUSE_MS, undefined, { ref: false });
      const isReleased = await parts.queue.release(id, held).then(
        () => true,
        () => false,
      );
      if (isReleased) return;
    }
  }

  /** The attempt that the writes of a run belong to, or `TakenOver` if another process has the task. */
  async function holdOf({ id, ingestionStatus: status, ingestionAttempt }: Document): Promise<Attempt | TakenOver> {
    if (status === 'success' || status === 'failed') return ingestionAttempt;
    return parts.queue.hold(id, ingestionAttempt).catch((error: unknown) => {
      if (error instanceof TakenOver) return error;
      throw error;
    });
  }

  async function putBack(id: string, mine: Attempt | undefined): Promise<void> {
    const held = mine ?? (await corpus.get(id))?.ingestionAttempt;
    if (held === undefined) return;
    await parts.queue.release(id, held).catch((error: unknown) => {
      // A late release needs a token, which distinguishes this attempt from a later one.
      if (typeof held === 'object') void releaseLater(id, held);
      throw error;
    });
  }

  async function* events(
    begun: Begun,
    signal: AbortSignal,
    decideRetry: RetryDecision,
  ): AsyncGenerator<IngestEvent, void> {
    const { document } = begun;
    // Another run of the same submission has finished first.
    if (document.ingestionStatus === 'success') yield { type: 'done', document };
    else if (document.ingestionStatus === 'failed') yield failed(document);
    else yield* ingest(begun, signal, decideRetry);
  }

  async function* ingest(
    begun: Begun,
    signal: AbortSignal,
    decideRetry: RetryDecision,
  ): AsyncGenerator<IngestEvent, void> {
    const { document, held } = begun;
    const { id } = document;
    try {
      await corpus.setStatus(id, 'parsing', held);
      yield { type: 'status', status: 'parsing' };
      const settings = await corpus.settingsOf(id);
      const read = await readFile(document, settings, signal);
      const prepared = { ...read, chunks: yield* augment(begun, settings, read, signal) };
      const summaryModel = parts.enrichment?.summaryModel(settings);
      const published = yield* publishChunks({ ...parts, ...begun, settings, prepared, summaryModel, signal });
      yield { type: 'status', status: 'success' };
      yield { type: 'done', document: published };
    } catch (thrown) {
      // An aborted ingestion keeps its state and is resumed later; every other error is recorded as a failure.
      if (signal.aborted) throw thrown;
      const error = toError(thrown);
      if (error instanceof TakenOver) {
        yield { type: 'failed', document, error };
        return;
      }
      // Resets the status before `decideRetry` postpones the task, which ends this attempt.
      const mayRetry = decideRetry !== isFinal && (await isStillWanted(begun));
      const until = mayRetry ? await decideRetry(error) : undefined;
      if (until !== undefined) {
        yield { type: 'postponed', document: await requireDocument(corpus, id), error, until };
      } else {
        const now = await recordFailure(corpus, begun, error);
        yield isPublished(now, document) ? { type: 'done', document: now } : { type: 'failed', document: now, error };
      }
    }
  }

  /** Reads and splits the document. A large file is handed over to the reader on disk, not loaded here. */
  async function readFile(document: Document, settings: Metadata, signal: AbortSignal): Promise<PreparedDocument> {
    const { id, sizeInBytes, type } = document;
    const gone = () => new ServiceError('not_found', `The file of document ${id} is gone.`);
    const read = async () => {
      const bytes = await corpus.bytesOf(id);
      if (bytes === undefined) throw gone();
      return bytes;
    };
    const save = async (path: string) => {
      if (!(await corpus.saveOriginal(id, path))) throw gone();
    };
    // A recording is always loaded, because it is sent to a transcriber first.
    const isHandedOver = sizeInBytes > MAX_MESSAGE_BYTES && typeByName(type)?.isRecording !== true;
    const job = toPreparationJob(document, isHandedOver ? new Uint8Array() : await read(), settings);
    return readers.prepare(isHandedOver ? { ...job, stored: { save, read } } : job, signal);
  }

  /** Adds contexts to the chunks if the settings request them. */
  async function* augment(
    { document, held }: Begun,
    settings: Metadata,
    prepared: PreparedDocument,
    signal: AbortSignal,
  ): AsyncGenerator<IngestEvent, readonly SplitChunk[]> {
    const { chunks, summary } = prepared;
    if (!parts.enrichment?.contextualizes(settings)) return chunks;
    await corpus.setStatus(document.id, 'augmenting', held);
    yield { type: 'status', status: 'augmenting' };
    const title = titleFor(document, settings, prepared);
    const steps = parts.enrichment.contextualize({ documentId: document.id, title, summary, chunks }, settings, signal);
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value;
      yield { type: 'progress', stage: 'augmenting', ...step.value };
    }
  }

  /**
   * Sets the document back to `pending`; returns false if it was deleted, cancelled or submitted again meanwhile.
   */
  async function isStillWanted({ document: { id }, held }: Begun): Promise<boolean> {
    try {
      await corpus.setStatus(id, 'pending', held);
      return true;
    } catch (error) {
      // Another attempt at the same submission has begun; postponing this one has no effect then.
      if (error instanceof TakenOver) return true;
      if (error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found')) return false;
      throw error;
    }
  }

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

    async submit(given, { queued = false } = {}) {
      if (parts.enrichment === undefined) refuseEnrichment(given);
      else parts.enrichment.check(given.settings);
      const { submission, read } = await withStoredFields(parts, given);
      refuseUnread(read, readers);
      const duplicate = await findDuplicate(corpus, submission, read);
      if (duplicate !== undefined) return duplicate;
      const collectionIds = await ensureCollections(parts.collections, submission);
      const { id, type, title, fileName, mediaType, bytes, contentHash, settings } = read;
      const { ownerId, metadata, source = null, replace = false } = submission;
      const document = await corpus.begin(
        {
          id,
          ownerId,
          collectionIds,
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
        { replace, queued },
      );
      const before = { documentId: document.id, attempt: document.ingestionAttempt - 1 };
      if (before.attempt > 0) parts.feed?.publish(before, supersededBy);
      return { kind: 'accepted', document };
    },
    run,
  };
}

function refuseEnrichment({ settings }: Submission): void {
  if (settings.context === undefined || settings.context === false) return;
  throw new ServiceError('not_configured', 'No model is configured for chunk enrichment.');
}

/** Rejects pictures and recordings on submission, so that a folder of them does not become many failed documents. */
function refuseUnread({ type, fileName }: CarriedOver['read'], readers: IngestorParts['readers']): void {
  const { isImage, isRecording } = typeByName(type) ?? {};
  if (isImage && !readers.readsImages) throw imageNotRead(fileName);
  if (isRecording && !readers.readsRecordings) throw recordingNotRead(fileName);
}

const isFinal: RetryDecision = async () => undefined;

const supersededBy: IngestEvent = { type: 'cancelled', reason: 'A later submission replaced it.' };

async function withStoredFields({ corpus, readers }: IngestorParts, submission: Submission): Promise<CarriedOver> {
  const read = await readSubmission(submission, readers.maxFileBytes);
  const own = submission.replace === true ? await corpus.get(read.id) : undefined;
  if (own === undefined || own.ownerId !== submission.ownerId) return { submission, read };
  return carryOver(own, await corpus.settingsOf(own.id), { submission, read });
}

async function requireDocument(corpus: Corpus, id: string): Promise<Document> {
  const document = await corpus.get(id);
  if (document === undefined) throw new ServiceError('not_found', `There is no document ${id}.`);
  return document;
}

const failed = (document: Document): IngestEvent => ({
  type: 'failed',
  document,
  error: new ServiceError('invalid_request', document.failure ?? 'The ingestion failed.'),
});

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Also true if the store's reply was lost, or another server took the task over and published first. */
const isPublished = (now: Document, { ingestionAttempt }: Document): boolean =>
  now.ingestionStatus === 'success' && now.ingestionAttempt === ingestionAttempt;

/** Records the failure, unless the document was published, deleted or submitted again meanwhile. */
async function recordFailure(corpus: Corpus, { document, held }: Begun, error: unknown): Promise<Document> {
  const now = await corpus.get(document.id);
  if (now === undefined || now.ingestionAttempt !== document.ingestionAttempt) return now ?? document;
  if (now.ingestionStatus === 'failed' || isPublished(now, document)) return now;
  const reason = error instanceof ServiceError ? error.publicMessage : toError(error).message;
  await corpus.fail(document.id, reason, held);
  return (await corpus.get(document.id)) ?? document;
}

async function ensureCollections(collections: IngestorParts['collections'], submission: Submission): Promise<string[]> {
  const { ownerId } = submission;
  const ids = [...new Set(submission.collectionIds.map((id) => id.toLowerCase()))];
  const own = defaultCollectionId(ownerId);
  if (ids.length === 0) ids.push(own);
  for (const id of ids) {
    if ((await collections.get(id)) === undefined)
      await collections.ensure({ id, ownerId, name: id === own ? 'Default' : id });
  }
  return ids;
}
