import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { PreparationReply } from './preparation-worker.ts';
import type { PreparationJob, PreparedDocument } from './prepare-document.ts';

export interface PreparationThreads {
  /** Reads and splits beside the main thread. Throws ServiceError: the reader's own, `timeout`, `too_large`, `cancelled`. */
  prepare(job: PreparationJob, signal: AbortSignal): Promise<PreparedDocument>;
  close(): Promise<void>;
}

export interface PreparationLimits {
  /** Documents read at the same time. */
  readonly threads: number;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/**
 * Threads that read documents. Files come from anywhere: one that never ends or fills the memory takes its thread with
 * it and nothing else. A thread that stayed well is kept for the next document.
 */
export function createPreparationThreads({ threads, timeoutMs, memoryMb }: PreparationLimits): PreparationThreads {
  const limit = pLimit(threads);
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  const start = (): Worker => {
    const extension = import.meta.filename.endsWith('.js') ? 'js' : 'ts';
    const worker = new Worker(new URL(`./preparation-worker.${extension}`, import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    // An idle thread must not keep a finished program alive.
    worker.unref();
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  };

  return {
    prepare: (job, signal) =>
      limit(async () => {
        if (signal.aborted) throw cancelled(job);
        const worker = idle.pop() ?? start();
        worker.ref();
        const reply = await ask(worker, job, { signal, timeoutMs });
        worker.unref();
        idle.push(worker);
        if (reply.kind === 'refused') throw new ServiceError(reply.code, reply.message);
        return reply.document;
      }),
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

const cancelled = ({ fileName }: PreparationJob): ServiceError =>
  new ServiceError('cancelled', `Reading ${fileName} was stopped.`);

function ask(
  worker: Worker,
  job: PreparationJob,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<PreparationReply> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const stop = (error: ServiceError) =>
      settle(() => {
        // The thread may be in a loop that no message reaches; only ending it helps.
        void worker.terminate();
        reject(error);
      });
    const onMessage = (reply: PreparationReply) => settle(() => resolve(reply));
    const onAbort = () => stop(cancelled(job));
    const onError = (error: NodeJS.ErrnoException) => stop(crashed(job, error));
    const onExit = () => stop(crashed(job, new Error('the reading thread ended')));
    const timer = setTimeout(() => {
      const seconds = Math.round(timeoutMs / 1000);
      stop(
        new ServiceError(
          'timeout',
          `Reading ${job.fileName} took more than ${seconds} s and was stopped. Split the file.`,
        ),
      );
    }, timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(job);
  });
}

function crashed({ fileName }: PreparationJob, error: NodeJS.ErrnoException): ServiceError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ServiceError(
        'too_large',
        `Reading ${fileName} needs more memory than one document may take. Split the file.`,
        { cause: error },
      )
    : new ServiceError('invalid_request', `Reading ${fileName} failed: ${error.message}.`, { cause: error });
}
