import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { errorMessage } from '../shared/error-message.ts';
import { createLeasedQueue, type Progress, type Round } from '../shared/leased-queue.ts';
import type { DocumentGraphRecords, ExtractionTask } from '../store/graph-records.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import { extractInParts } from './extract-in-parts.ts';
import type { GraphExtractor } from './graph.ts';

export interface ExtractionStep extends Progress {
  readonly documentId: string;
  readonly title: string;
  readonly outcome: 'extracted' | 'failed' | 'changed';
  readonly reason?: string;
}

/** Background service that extracts the graphs of published documents, one after another. */
export interface GraphExtraction {
  /** Processes the queue until it is empty. Aborting returns the current document to the queue. */
  run(signal: AbortSignal): AsyncGenerator<ExtractionStep, void>;
  /** Starts extracting published documents in the background, beginning with those left by an earlier process. */
  start(): void;
  /**
   * Queues a new extraction of a document, by this extractor or the default one. Throws `unknown_model`, `not_found`,
   * `conflict`.
   */
  request(documentId: string, extractor: string | null): Promise<void>;
  /** Resolves when no extraction of this document is pending, whatever its outcome. */
  settled(documentId: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface GraphExtractionParts {
  readonly records: DocumentGraphRecords;
  /** The extractor of that name; null means the default one. Throws for an unknown name. */
  readonly extractorOf: (name: string | null) => GraphExtractor;
  readonly changes: CorpusWatch;
  /** False extracts documents only on request. */
  readonly isAutomatic: boolean;
  /** Called when the queue is empty. */
  readonly onIdle?: (signal: AbortSignal) => Promise<void>;
  /** Receives errors of background work. */
  readonly report: (message: string, cause?: unknown) => void;
}

/** Ingestion has priority; pause in milliseconds before extraction checks again whether it may run. */
const YIELD_MS = 500;

export function createGraphExtraction(parts: GraphExtractionParts): GraphExtraction {
  const { records, extractorOf, changes, isAutomatic, report, onIdle } = parts;
  const waiting = new Map<string, Set<() => void>>();
  let hasMergedRemaining = false;
  let turn: Promise<unknown> = Promise.resolve();

  const queue = createLeasedQueue({
    requeue: records.requeue,
    countWaiting: async () => (await records.backlog()).waiting,
    round,
    onIdle,
    changes,
    onFailure: (error) => report('The extraction of graphs has stopped; it is tried again.', error),
  });

  /** Serialises all extractions. */
  function runExclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  async function extractNext(signal: AbortSignal, which: 'all' | 'asked'): Promise<Finished | undefined> {
    await queue.ready();
    const task = await records.next(which);
    if (task === undefined) return undefined;
    const finished = await extractOne(task, signal);
    // A document that changed during its extraction is queued again, unless it was deleted.
    const isSettled = finished.outcome !== 'changed' || (await records.extractionOf(task.documentId)) === undefined;
    if (isSettled) for (const resolve of waiting.get(task.documentId) ?? []) resolve();
    return finished;
  }

  /** Once per process: merges documents left unmerged by earlier versions. */
  async function mergeRemaining(signal: AbortSignal): Promise<void> {
    if (hasMergedRemaining) return;
    await records.mergeRemaining(signal);
    hasMergedRemaining = true;
  }

  /** Releases callers waiting for documents that were deleted before their turn. */
  async function releaseDeleted(): Promise<void> {
    for (const id of [...waiting.keys()]) {
      if ((await records.extractionOf(id)) !== undefined) continue;
      for (const resolve of waiting.get(id) ?? []) resolve();
    }
  }

  async function extractOne(task: ExtractionTask, signal: AbortSignal): Promise<Finished> {
    const { documentId, title } = task;
    try {
      const extractor = extractorOf(task.requested);
      const graph = await extractInParts(task, { extractor, records, signal });
      signal.throwIfAborted();
      const isSaved = await records.save(task, extractor.name, graph);
      return { documentId, title, outcome: isSaved ? 'extracted' : 'changed' };
    } catch (error) {
      if (signal.aborted) {
        await records.requeue();
        throw error;
      }
      const reason = errorMessage(error);
      await records.fail(task, reason);
      report(`The graph of document ${documentId} could not be extracted.`, error);
      return { documentId, title, outcome: 'failed', reason };
    }
  }

  async function round(signal: AbortSignal): Promise<Round> {
    const takesAll = queue.isStarted && isAutomatic;
    // Explicitly requested extractions do not yield to ingestion.
    const yieldsToIngestion = takesAll && (await records.isIngesting());
    const finished = await runExclusively(() => extractNext(signal, takesAll && !yieldsToIngestion ? 'all' : 'asked'));
    if (finished !== undefined) return 'worked';
    await releaseDeleted();
    if (takesAll) await mergeRemaining(signal);
    return yieldsToIngestion ? { waitMs: YIELD_MS } : 'empty';
  }

  return {
    async *run(signal) {
      const next = () => runExclusively(() => extractNext(signal, isAutomatic ? 'all' : 'asked'));
      yield* queue.drain(async () => (signal.aborted ? undefined : next()));
      if (signal.aborted) return;
      await mergeRemaining(signal);
      await onIdle?.(signal);
    },
    start: queue.start,
    async request(documentId, extractor) {
      extractorOf(extractor);
      await records.request(documentId, extractor);
      queue.wake();
    },
    async settled(documentId, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const all = waiting.get(documentId) ?? new Set();
      waiting.set(documentId, all.add(resolve));
      const cancelled = () => new ServiceError('cancelled', 'The extraction continues in the background.');
      try {
        await raceAbort(promise, AbortSignal.any([signal, queue.stopping]), cancelled);
      } finally {
        all.delete(resolve);
        if (all.size === 0) waiting.delete(documentId);
      }
    },
    async close() {
      await queue.close();
      await turn;
    },
  };
}

type Finished = Omit<ExtractionStep, keyof Progress>;
