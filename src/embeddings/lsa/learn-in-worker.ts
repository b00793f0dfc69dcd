import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import { onAbort } from '../../shared/abort.ts';
import { type LearningSource, MAX_CHUNKS_READ } from './learning-source.ts';
import type { LearningReply, LearningRequest } from './learning-worker.ts';

const MEMORY_MB = 2_048;
/** A larger young generation holds more garbage, without being faster. */
const YOUNG_MEMORY_MB = 6;
/** Texts sent at a time; a longer list survives until its garbage is only collected with the old generation. */
const TEXTS_PER_MESSAGE = 32;

/**
 * Trains LSA in a worker thread, which is terminated as soon as `signal` aborts. Yields the progress from 0 to 1;
 * returns the artefact. Throws `invalid_request` if there is no text to learn from, `cancelled`, `internal`.
 */
export async function* learnInWorker(
  { chunkCount, texts }: LearningSource,
  signal: AbortSignal,
): AsyncGenerator<number, Uint8Array> {
  const worker = new Worker(programFile('./learning-worker.ts', import.meta), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MEMORY_MB },
  });
  const replies = repliesOf(worker, signal);
  const order = (message: LearningRequest) => worker.postMessage(message);
  try {
    let read = 0;
    const total = Math.max(1, Math.min(chunkCount, MAX_CHUNKS_READ));
    for await (const batch of texts) {
      for (let at = 0; at < batch.length; at += TEXTS_PER_MESSAGE) {
        order({ kind: 'read', texts: batch.slice(at, at + TEXTS_PER_MESSAGE), total });
        await replies.next();
      }
      read += batch.length;
      yield READING_SHARE * Math.min(1, read / total);
    }
    if (read === 0) throw new ServiceError('invalid_request', 'There is no text to learn from yet.');
    order({ kind: 'learn', chunkCount });
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

/** Share of the progress attributed to reading the texts; the following steps take longer. */
const READING_SHARE = 0.3;

/** The thread's replies in order; its exit, an error and the signal reject pending reads. */
function repliesOf(worker: Worker, signal: AbortSignal) {
  const received: LearningReply[] = [];
  let waiting: PromiseWithResolvers<LearningReply> | undefined;
  let failure: ServiceError | undefined;
  const fail = (error: ServiceError) => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = undefined;
  };
  const stop = () => {
    fail(new ServiceError('cancelled', 'Learning from the corpus was stopped.', { cause: signal.reason }));
    void worker.terminate();
  };
  const stopListening = onAbort(signal, stop);
  worker.on('message', (reply: LearningReply) => {
    if (waiting === undefined) received.push(reply);
    else waiting.resolve(reply);
    waiting = undefined;
  });
  worker.on('error', (cause) =>
    fail(new ServiceError('internal', `Learning from the corpus failed: ${(cause as Error).message}.`, { cause })),
  );
  worker.on('exit', () => fail(new ServiceError('internal', 'The thread that learns from the corpus ended early.')));
  return {
    next(): Promise<LearningReply> {
      const reply = received.shift();
      if (reply !== undefined) return Promise.resolve(reply);
      if (failure !== undefined) return Promise.reject(failure);
      waiting = Promise.withResolvers<LearningReply>();
      return waiting.promise;
    },
    close: stopListening,
  };
}
