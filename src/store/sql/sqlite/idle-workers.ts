import { Worker } from 'node:worker_threads';
import { codeCacheFolder } from '../../../bundle-loader.ts';
import { programFile } from '../../../program-file.ts';

const WORKER = programFile('./sqlite-worker.ts', import.meta);
/** One open database starts with this many threads: a writer and a reader. */
const MAX_KEPT = 2;
const KEPT_MS = 10_000;

/**
 * Idle threads and the timers that end them. Processes that share a data folder close and reopen the database, and
 * starting its threads is most of the work of opening it.
 */
const idle = new Map<Worker, NodeJS.Timeout>();

const newWorker = (): Worker => new Worker(WORKER, { name: 'sqlite', workerData: codeCacheFolder() });

/**
 * Starts the threads of a database that is about to be opened, so that they load while the caller loads other modules.
 * They end by themselves if none is opened.
 */
export function startIdleWorkers(): void {
  while (idle.size < MAX_KEPT) keepWorker(newWorker());
}

/** An idle thread, or a new one. */
export function takeWorker(): Worker {
  const [kept] = idle.keys();
  if (kept === undefined) return newWorker();
  clearTimeout(idle.get(kept));
  idle.delete(kept);
  return kept;
}

/** Keeps a thread without a connection. It does not keep the process alive. */
export function keepWorker(worker: Worker): void {
  if (idle.size >= MAX_KEPT) {
    void worker.terminate();
    return;
  }
  worker.unref();
  const end = () => {
    idle.delete(worker);
    void worker.terminate();
  };
  idle.set(worker, setTimeout(end, KEPT_MS).unref());
}
