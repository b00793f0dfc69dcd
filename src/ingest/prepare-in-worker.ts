import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import { ReaderEnded } from './failure-kind.ts';
import type { ProcessReply } from './preparation-process.ts';
import type { PreparationJob, PreparedDocument } from './prepare-document.ts';

export interface PreparationWorkers {
  /** Reads and splits in a process beside this one. Throws ServiceError: the reader's own, `timeout`, `too_large`, `cancelled`. */
  prepare(job: PreparationJob, signal: AbortSignal): Promise<PreparedDocument>;
  close(): Promise<void>;
}

export interface PreparationLimits {
  /** Documents read at the same time. */
  readonly workers: number;
  readonly timeoutMs: number;
  /** Of one worker, its buffers included. */
  readonly memoryMb: number;
}

/** A worker that has had nothing to do for so long gives its memory back. */
const IDLE_MS = 60_000;

/**
 * Processes that read documents. Files come from anywhere: one that never ends, fills the memory or brings down what
 * reads it takes its process with it and nothing else. A thread would not do: V8 ends the whole process when a single
 * allocation in a thread finds no room, whatever limit the thread has. A process that stayed well is kept for the next
 * document.
 */
export function createPreparationWorkers({ workers, timeoutMs, memoryMb }: PreparationLimits): PreparationWorkers {
  const limit = pLimit(workers);
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const all = new Set<ChildProcess>();

  const start = (): ChildProcess => {
    const extension = import.meta.filename.endsWith('.js') ? 'js' : 'ts';
    const program = fileURLToPath(new URL(`./preparation-process.${extension}`, import.meta.url));
    const worker = fork(program, [String(memoryMb)], {
      execArgv: [],
      serialization: 'advanced',
      // What V8 says when it gives up is for nobody here.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      forget(worker);
    });
    // Without a listener, one that cannot be started would end the service.
    worker.on('error', () => all.delete(worker));
    return worker;
  };
  const forget = (worker: ChildProcess) => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  const take = (): ChildProcess => {
    const worker = [...idle.keys()].find(({ connected }) => connected);
    if (worker === undefined) return start();
    forget(worker);
    setHeld(worker, true);
    return worker;
  };
  const rest = (worker: ChildProcess) => {
    setHeld(worker, false);
    idle.set(worker, setTimeout(() => worker.kill('SIGKILL'), IDLE_MS).unref());
  };

  return {
    prepare: (job, signal) =>
      limit(async () => {
        if (signal.aborted) throw cancelled(job);
        const worker = take();
        const reply = await ask(worker, job, { signal, timeoutMs });
        if (reply.kind === 'ended') {
          worker.kill('SIGKILL');
          throw ended(job, reply);
        }
        rest(worker);
        if (reply.kind === 'refused') throw new ServiceError(reply.code, reply.message);
        return reply.document;
      }),
    async close() {
      await Promise.all(
        [...all].map((worker) => {
          const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
          // It is waited for, and so must keep the program alive.
          setHeld(worker, true);
          worker.kill('SIGKILL');
          return gone;
        }),
      );
    },
  };
}

/** An idle process must not keep a finished program alive. */
function setHeld(worker: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    worker.ref();
    worker.channel?.ref();
  } else {
    worker.unref();
    worker.channel?.unref();
  }
}

const cancelled = ({ fileName }: PreparationJob): ServiceError =>
  new ServiceError('cancelled', `Reading ${fileName} was stopped.`);

function ask(
  worker: ChildProcess,
  job: PreparationJob,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<ProcessReply> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const stop = (error: ServiceError) =>
      settle(() => {
        // It may be in a loop that no message reaches; only ending it helps.
        worker.kill('SIGKILL');
        reject(error);
      });
    const onMessage = (reply: unknown) => settle(() => resolve(reply as ProcessReply));
    const onAbort = () => stop(cancelled(job));
    const onError = (error: Error) => stop(new ReaderEnded(job.fileName, error.message, { cause: error }));
    const onExit = (code: number | null, by: NodeJS.Signals | null) =>
      settle(() =>
        resolve({
          kind: 'ended',
          because: by === 'SIGABRT' || code === ABORTED ? 'memory' : 'crash',
          message: `its reader ended (${by ?? code})`,
        }),
      );
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
    worker.send(job, (error) => {
      if (error !== null) onError(error);
    });
  });
}

/** How V8 ends a process that has no room left, where that is not told as a signal. */
const ABORTED = 134;

function ended(
  { fileName }: PreparationJob,
  { because, message }: Extract<ProcessReply, { kind: 'ended' }>,
): ServiceError {
  if (because === 'crash') return new ReaderEnded(fileName, message);
  return new ServiceError(
    'too_large',
    `Reading ${fileName} needs more memory than one document may take. Split the file.`,
  );
}
