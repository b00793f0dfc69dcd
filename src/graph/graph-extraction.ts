import { ServiceError } from '../errors.ts';
import type { DocumentGraphRecords, ExtractionTask } from '../store/graph-records.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import { extractInParts } from './extract-in-parts.ts';
import type { GraphExtractor } from './graph.ts';

export interface ExtractionStep {
  readonly documentId: string;
  readonly title: string;
  readonly outcome: 'extracted' | 'failed' | 'changed';
  readonly reason?: string;
  /** Number of documents done in this run, including this one, and the expected total. */
  readonly done: number;
  readonly total: number;
}

/** Background service that extracts the graphs of published documents, one after another. */
export interface GraphExtraction {
  /** Processes the queue until it is empty. Aborting returns the current document to the queue. */
  run(signal: AbortSignal): AsyncGenerator<ExtractionStep, void>;
  /** Starts extracting published documents in the background, first those left by an earlier process. */
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

/** Ingestion has priority: pause before extraction checks again. */
const YIELD_MS = 500;

export function createGraphExtraction(parts: GraphExtractionParts): GraphExtraction {
  const { records, extractorOf, changes, isAutomatic, report, onIdle } = parts;
  const stopping = new AbortController();
  const waiting = new Map<string, Set<() => void>>();
  let isStarted = false;
  let isWanted = false;
  let isGathered = false;
  let background: Promise<void> | undefined;
  let requeued: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** Serialises all extractions. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  async function extractNext(signal: AbortSignal, which: 'all' | 'asked'): Promise<Finished | undefined> {
    requeued ??= records.requeue();
    await requeued;
    const task = await records.next(which);
    if (task === undefined) return undefined;
    const finished = await extractOne(task, signal);
    // A document that changed meanwhile is queued again, unless it was deleted.
    const isSettled = finished.outcome !== 'changed' || (await records.extractionOf(task.documentId)) === undefined;
    if (isSettled) for (const resolve of waiting.get(task.documentId) ?? []) resolve();
    return finished;
  }

  /** Once per process: merges documents left unmerged by earlier versions. */
  async function gatherRest(signal: AbortSignal): Promise<void> {
    if (isGathered) return;
    await records.gatherRest(signal);
    isGathered = true;
  }

  /** Releases callers waiting for documents that were deleted before their turn. */
  async function releaseGone(): Promise<void> {
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
      const reason = error instanceof Error ? error.message : String(error);
      await records.fail(task, reason);
      report(`The graph of document ${documentId} could not be extracted.`, error);
      return { documentId, title, outcome: 'failed', reason };
    }
  }

  async function workInBackground(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      isWanted = false;
      const isForAll = isStarted && isAutomatic;
      // Explicitly requested extractions do not yield to ingestion.
      const standsBack = isForAll && (await records.isIngesting());
      const finished = await inTurn(() => extractNext(signal, isForAll && !standsBack ? 'all' : 'asked'));
      if (finished !== undefined) continue;
      await releaseGone();
      if (isForAll) await gatherRest(signal);
      if (standsBack) {
        isWanted = true;
        await pause(YIELD_MS, signal);
        continue;
      }
      await onIdle?.(signal);
      if (!isWanted) return;
    }
  }

  function wake(): void {
    isWanted = true;
    if (stopping.signal.aborted || background !== undefined) return;
    background = workInBackground(stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) report('The extraction of graphs has stopped; the next change starts it.', error);
      })
      .finally(() => {
        background = undefined;
        if (isWanted && isStarted) wake();
      });
  }

  const unsubscribe = changes.subscribe(() => {
    if (isStarted) wake();
  });

  return {
    async *run(signal) {
      let done = 0;
      for (;;) {
        if (signal.aborted) return;
        const { waiting: left } = await records.backlog();
        const finished = await inTurn(() => extractNext(signal, isAutomatic ? 'all' : 'asked'));
        if (finished === undefined) break;
        done++;
        yield { ...finished, done, total: done + Math.max(0, left - 1) };
      }
      await gatherRest(signal);
      await onIdle?.(signal);
    },
    start() {
      isStarted = true;
      wake();
    },
    async request(documentId, extractor) {
      extractorOf(extractor);
      await records.request(documentId, extractor);
      wake();
    },
    settled: (documentId, signal) =>
      new Promise((resolve, reject) => {
        const all = waiting.get(documentId) ?? new Set();
        waiting.set(documentId, all);
        const leave = () => {
          all.delete(settle);
          if (all.size === 0) waiting.delete(documentId);
          signal.removeEventListener('abort', abandon);
          stopping.signal.removeEventListener('abort', abandon);
        };
        const settle = () => {
          leave();
          resolve();
        };
        const abandon = () => {
          leave();
          reject(new ServiceError('cancelled', 'The extraction goes on without being waited for.'));
        };
        all.add(settle);
        signal.addEventListener('abort', abandon, { once: true });
        stopping.signal.addEventListener('abort', abandon, { once: true });
        if (signal.aborted || stopping.signal.aborted) abandon();
      }),
    async close() {
      unsubscribe();
      isStarted = false;
      stopping.abort();
      await background;
      await turn;
    },
  };
}

type Finished = Pick<ExtractionStep, 'documentId' | 'title' | 'outcome' | 'reason'>;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
