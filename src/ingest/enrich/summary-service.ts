import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { ModelRegistry } from '../../models/model.ts';
import type { PromptTexts } from '../../prompts/prompt-texts.ts';
import { createLeasedQueue, type Progress, type Round } from '../../shared/leased-queue.ts';
import type { SummaryRecords, SummaryTask } from '../../store/summary-records.ts';
import type { CorpusWatch } from '../../store/watch-corpus.ts';
import { isTransient } from '../failure-kind.ts';
import { defaultSummary, storedSummary } from './enrichment-settings.ts';
import { summarise } from './summarise.ts';

export interface SummaryStep extends Progress {
  readonly documentId: string;
  readonly title: string;
  readonly outcome: 'summarised' | 'failed' | 'changed';
  readonly reason?: string;
}

/** Background service that has models summarise published documents. */
export interface SummaryService {
  /** Processes the queue until it is empty. Throws when the model is unavailable; remaining tasks stay queued. */
  run(signal: AbortSignal): AsyncGenerator<SummaryStep, void>;
  /** Starts summarising documents in the background, first those left by an earlier process. */
  start(): void;
  backlog: SummaryRecords['backlog'];
  close(): Promise<void>;
}

export interface SummaryServiceParts {
  readonly records: SummaryRecords;
  readonly models: ModelRegistry;
  readonly prompts: PromptTexts;
  readonly changes: CorpusWatch;
  /** Called when the queue is empty. */
  readonly onIdle?: (signal: AbortSignal) => Promise<void>;
  readonly report: (message: string, cause?: unknown) => void;
  readonly pauses?: typeof PAUSES;
}

/** Documents summarised concurrently. */
const CONCURRENCY = 2;
const PAUSES = {
  /** Pause after a temporary failure, doubled with each consecutive one. */
  firstMs: 5_000,
  maxMs: 15 * 60_000,
  /** Pause before the queue counts as empty, so that documents published in quick succession are processed together. */
  idleMs: 1_000,
};

type Finished = Omit<SummaryStep, keyof Progress>;

export function createSummaryService(parts: SummaryServiceParts): SummaryService {
  const { records, changes, report, onIdle, pauses = PAUSES } = parts;
  let failures = 0;
  const queue = createLeasedQueue({
    requeue: records.requeue,
    countWaiting: async () => (await records.backlog()).waiting,
    round,
    onIdle,
    changes,
    onFailure: (error) => report('The writing of summaries has stopped; it is tried again.', error),
  });

  /** Undefined when the queue is empty. Throws when the model is unavailable, after returning the task to the queue. */
  async function writeNext(signal: AbortSignal): Promise<Finished | undefined> {
    await queue.ready();
    const task = await records.take();
    if (task === undefined) return undefined;
    const { documentId, title } = task;
    try {
      const { text, by } = await write(task, parts, signal);
      const isKept = await records.keep(task, { text, by });
      return { documentId, title, outcome: isKept ? 'summarised' : 'changed' };
    } catch (error) {
      if (signal.aborted || isTransient(error)) {
        await records.release(task);
        throw error;
      }
      const reason = error instanceof ServiceError ? error.message : 'Something went wrong inside the service.';
      await records.fail(task, reason);
      report(`Document ${documentId} keeps the extract as its summary: ${reason}`, error);
      return { documentId, title, outcome: 'failed', reason };
    }
  }

  async function round(signal: AbortSignal): Promise<Round> {
    const results = await Promise.allSettled(
      Array.from({ length: failures > 0 ? 1 : CONCURRENCY }, () => writeNext(signal)),
    );
    signal.throwIfAborted();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      if (failures === 0) report('Summaries are not written for now; the extracts stay until they are.', failed.reason);
      const waitMs = Math.min(pauses.maxMs, pauses.firstMs * 2 ** failures);
      failures++;
      // The tasks could not be returned to the queue either, for example while the database restarts.
      if (failed.reason instanceof ServiceError && failed.reason.code === 'store_failed') queue.requeueAgain();
      return { waitMs };
    }
    failures = 0;
    if (results.some((result) => result.status === 'fulfilled' && result.value !== undefined)) return 'worked';
    if (onIdle !== undefined) await sleep(pauses.idleMs, undefined, { signal, ref: false });
    return 'empty';
  }

  return {
    async *run(signal) {
      yield* queue.drain(() => writeNext(signal));
      await onIdle?.(signal);
    },
    start: queue.start,
    backlog: records.backlog,
    close: queue.close,
  };
}

async function write(task: SummaryTask, { records, models, prompts }: SummaryServiceParts, signal: AbortSignal) {
  const settings = storedSummary(task.settings);
  const max = settings.chunks ?? defaultSummary.chunks;
  const model = models.resolve(settings.model, 'fast');
  const chunks = await records.sample(task, max);
  const characters = settings.characters ?? defaultSummary.characters;
  const text = await summarise({ title: task.title, chunks, characters }, { model, prompts }, signal);
  return { text, by: model.name };
}
