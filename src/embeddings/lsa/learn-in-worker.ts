import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import type { LearningOrder, LearningReply } from './learning-worker.ts';

export interface LearningSource {
  /** Passages the corpus has. */
  readonly passages: number;
  /** Some or all of them, a few at a time. */
  readonly texts: AsyncIterable<readonly string[]>;
}

/** Passages read from a larger corpus; the others are folded in (docs/decisions.md). */
export const MOST_PASSAGES_READ = 50_000;
const MEMORY_MB = 2_048;

/**
 * Learns from passages in a thread of its own, which a signal ends at once. Yields the share that is done, from 0 to 1;
 * returns the artefact. Throws `invalid_request` when there is nothing to learn from, `cancelled`, `internal`.
 */
export async function* learnInWorker(
  { passages, texts }: LearningSource,
  signal: AbortSignal,
): AsyncGenerator<number, Uint8Array> {
  const extension = import.meta.filename.endsWith('.js') ? 'js' : 'ts';
  const worker = new Worker(new URL(`./learning-worker.${extension}`, import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const replies = repliesOf(worker, signal);
  const order = (message: LearningOrder) => worker.postMessage(message);
  try {
    let read = 0;
    const total = Math.max(1, Math.min(passages, MOST_PASSAGES_READ));
    for await (const batch of texts) {
      order({ kind: 'read', texts: batch });
      await replies.next();
      read += batch.length;
      yield READING_SHARE * Math.min(1, read / total);
    }
    if (read === 0) throw new ServiceError('invalid_request', 'There is no text to learn from yet.');
    order({ kind: 'learn', passages });
    for (;;) {
      const reply = await replies.next();
      if (reply.kind === 'learned') return reply.artefact;
      if (reply.kind === 'step') yield READING_SHARE + (1 - READING_SHARE) * (reply.done / reply.total);
    }
  } finally {
    replies.close();
    await worker.terminate();
  }
}

/** Of the time; what follows takes longer. */
const READING_SHARE = 0.3;

/** The thread's answers in order; its end, an error and the signal are refusals of whoever waits. */
function repliesOf(worker: Worker, signal: AbortSignal) {
  const come: LearningReply[] = [];
  let waiting: PromiseWithResolvers<LearningReply> | undefined;
  let failure: ServiceError | undefined;
  const fail = (error: ServiceError) => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = undefined;
  };
  const onAbort = () => {
    fail(new ServiceError('cancelled', 'Learning from the corpus was stopped.', { cause: signal.reason }));
    void worker.terminate();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  worker.on('message', (reply: LearningReply) => {
    if (waiting === undefined) come.push(reply);
    else waiting.resolve(reply);
    waiting = undefined;
  });
  worker.on('error', (cause) =>
    fail(new ServiceError('internal', `Learning from the corpus failed: ${(cause as Error).message}.`, { cause })),
  );
  worker.on('exit', () => fail(new ServiceError('internal', 'The thread that learns from the corpus ended early.')));
  return {
    next(): Promise<LearningReply> {
      const reply = come.shift();
      if (reply !== undefined) return Promise.resolve(reply);
      if (failure !== undefined) return Promise.reject(failure);
      waiting = Promise.withResolvers<LearningReply>();
      return waiting.promise;
    },
    close: () => signal.removeEventListener('abort', onAbort),
  };
}
