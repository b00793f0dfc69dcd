import type { Document } from '../documents/document.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { BegunDocument, Corpus } from '../store/corpus.ts';
import type { IngestionQueue } from '../store/ingestion-queue.ts';
import { type Attempt, AttemptTakenOver } from '../store/taken-over.ts';
import type { VectorSpaces } from '../store/vector-spaces.ts';
import { failureRemedy } from './failure-kind.ts';
import { createTaskHolder } from './hold-task.ts';
import type { IngestEvent, Ingestor, RetryDecision } from './ingestor.ts';
import { createKeyedLimit } from './keyed-limit.ts';
import type { PreparedDocument } from './preparation-job.ts';
import { publishChunks, titleFor } from './publish-chunks.ts';
import { toPreparationJob } from './read-submission.ts';
import { typeByName } from './readers/file-types.ts';
import type { SplitChunk } from './split-text.ts';
import { MAX_MESSAGE_BYTES } from './stored-job.ts';
import { createSubmissions, type SubmissionParts, supersededBy } from './submit-document.ts';

export interface IngestorParts extends SubmissionParts {
  readonly spaces: Pick<VectorSpaces, 'claim'>;
  readonly embeddings: EmbeddingModel;
  readonly queue: Pick<IngestionQueue, 'hold' | 'release'>;
  /** Documents processed concurrently; default 4. */
  readonly documents?: number;
}

const DOCUMENT_CONCURRENCY = 4;

/** A document with the settings of its ingestion, and the attempt that its writes belong to. */
interface StartedIngestion extends BegunDocument {
  readonly held: Attempt;
}

/** Creates the ingestor of a corpus. Interrupted ingestions are resumed at the next start. */
export function createIngestor(parts: IngestorParts): Ingestor {
  const { corpus, readers } = parts;
  const turns = createKeyedLimit(parts.documents ?? DOCUMENT_CONCURRENCY);
  const tasks = createTaskHolder(parts.queue, corpus);

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
        const begun = await corpus.begun(id);
        const { document } = begun;
        const attempt = document.ingestionAttempt;
        const held = await tasks.hold(document);
        if (held instanceof AttemptTakenOver) {
          isOver = true;
          yield { type: 'failed', document, error: held };
          return;
        }
        mine = held;
        for await (const event of events({ ...begun, held }, signal, decideRetry)) {
          // The server that has taken the task over publishes its further events.
          if (event.type === 'failed' && event.error instanceof AttemptTakenOver) isOver = true;
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
      if (!isOver) await tasks.putBack(id, mine);
    }
  }

  async function* events(
    begun: StartedIngestion,
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
    begun: StartedIngestion,
    signal: AbortSignal,
    decideRetry: RetryDecision,
  ): AsyncGenerator<IngestEvent, void> {
    const { document, settings, held } = begun;
    const { id } = document;
    try {
      await corpus.setStatus(id, 'parsing', held);
      yield { type: 'status', status: 'parsing' };
      // While the document is read; a failure is reported by the first use.
      parts.embeddings.preload?.().catch(() => undefined);
      const read = await readFile(begun, signal);
      const prepared = { ...read, chunks: yield* augment(begun, read, signal) };
      const summaryModel = parts.enrichment?.summaryModel(settings);
      const published = yield* publishChunks({ ...parts, ...begun, prepared, summaryModel, signal });
      yield { type: 'status', status: 'success' };
      yield { type: 'done', document: published };
    } catch (thrown) {
      // An aborted ingestion keeps its state and is resumed later; every other error is recorded as a failure.
      if (signal.aborted) throw thrown;
      const error = toError(thrown);
      if (error instanceof AttemptTakenOver) {
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
  async function readFile({ document, settings }: BegunDocument, signal: AbortSignal): Promise<PreparedDocument> {
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
    const isSentAsFile = sizeInBytes > MAX_MESSAGE_BYTES && typeByName(type)?.isRecording !== true;
    const job = toPreparationJob(document, isSentAsFile ? new Uint8Array() : await read(), settings);
    return readers.prepare(isSentAsFile ? { ...job, stored: { save, read } } : job, signal);
  }

  /** Adds contexts to the chunks if the settings request them. */
  async function* augment(
    { document, settings, held }: StartedIngestion,
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
  async function isStillWanted({ document: { id }, held }: StartedIngestion): Promise<boolean> {
    try {
      await corpus.setStatus(id, 'pending', held);
      return true;
    } catch (error) {
      // Another attempt at the same submission has begun; postponing this one has no effect then.
      if (error instanceof AttemptTakenOver) return true;
      if (error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found')) return false;
      throw error;
    }
  }

  return { ...createSubmissions(parts), run };
}

const isFinal: RetryDecision = async () => undefined;

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
async function recordFailure(corpus: Corpus, { document, held }: StartedIngestion, error: unknown): Promise<Document> {
  const now = await corpus.get(document.id);
  if (now === undefined || now.ingestionAttempt !== document.ingestionAttempt) return now ?? document;
  if (now.ingestionStatus === 'failed' || isPublished(now, document)) return now;
  const reason = error instanceof ServiceError ? error.publicMessage : toError(error).message;
  await corpus.fail(document.id, { reason, remedy: failureRemedy(error) }, held);
  return (await corpus.get(document.id)) ?? document;
}
