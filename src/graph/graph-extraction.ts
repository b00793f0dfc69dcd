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
  /** Documents done in this run, this one among them, and how many it will come to as far as is known. */
  readonly done: number;
  readonly total: number;
}

/** Extracts the graph of documents that were published, one after another, beside everything else. */
export interface GraphExtraction {
  /** Works until nothing waits. Aborting leaves the document in hand to be done again. */
  run(signal: AbortSignal): AsyncGenerator<ExtractionStep, void>;
  /** From now on whatever is published is extracted in the background, after what an earlier process left. */
  start(): void;
  /** Has a document extracted anew, by this extractor or the usual one. Throws `unknown_model`, `not_found`, `conflict`. */
  request(documentId: string, extractor: string | null): Promise<void>;
  /** Resolves when nothing waits to be extracted for this document any longer, whatever came of it. */
  settled(documentId: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface GraphExtractionParts {
  readonly records: DocumentGraphRecords;
  /** The extractor of that name; null means the usual one. Throws for a name that stands for none. */
  readonly extractorOf: (name: string | null) => GraphExtractor;
  readonly changes: CorpusWatch;
  /** False leaves documents alone for which nobody asks. */
  readonly isAutomatic: boolean;
  /** Called when nothing waits any longer. */
  readonly onIdle?: (signal: AbortSignal) => Promise<void>;
  /** Told of trouble that nobody waits for. */
  readonly report: (message: string, cause?: unknown) => void;
}

/** What comes in goes first: extraction looks again after so long. */
const YIELD_MS = 500;

export function createGraphExtraction(parts: GraphExtractionParts): GraphExtraction {
  const { records, extractorOf, changes, isAutomatic, report, onIdle } = parts;
  const stopping = new AbortController();
  const waiting = new Map<string, Set<() => void>>();
  let isStarted = false;
  let isWanted = false;
  let background: Promise<void> | undefined;
  let requeued: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** One document at a time, whoever asks. */
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
    // What has changed meanwhile waits again, unless it is gone.
    const isSettled = finished.outcome !== 'changed' || (await records.extractionOf(task.documentId)) === undefined;
    if (isSettled) for (const resolve of waiting.get(task.documentId) ?? []) resolve();
    return finished;
  }

  /** Of documents that were deleted before it was their turn nothing else will ever be heard. */
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
      // Somebody waits for what was asked for, so that it does not stand back.
      const standsBack = isForAll && (await records.isIngesting());
      const finished = await inTurn(() => extractNext(signal, isForAll && !standsBack ? 'all' : 'asked'));
      if (finished !== undefined) continue;
      await releaseGone();
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
