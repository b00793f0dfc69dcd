import { writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { programFile } from '../program-file.ts';
import type { ImageReaderRequest } from './image-reader-source.ts';
import type { PreparationReply, ToPreparation } from './preparation-worker.ts';

/** The process's reply to a job: the thread's reply, or that the thread ended without one. */
export type ProcessReply =
  | PreparationReply
  | ImageReaderRequest
  | { readonly kind: 'ended'; readonly because: 'memory' | 'crash'; readonly message: string };

/**
 * Entry point of the child process that reads documents: `preparation-process.ts MEGABYTES`.
 *
 * Reading runs in a worker thread, so that the main thread stays free to watch the memory that the heap limit does not
 * cover, and to detect the parent's death even while a document keeps the reader in a loop.
 */
const megabytes = Number(process.argv[2]);
const MEMORY_CHECK_INTERVAL_MS = 100;
/** Share of the memory limit for the heap: V8 lets garbage grow up to the heap limit, which must be lower. */
const HEAP_SHARE = 0.75;

const thread = startThread();
let isReading = false;
/** Whether the parent has been sent `ended`, so that it kills this process. */
let hasReportedEnd = false;

// Not `exit`, which waits for a thread blocked in native code.
const killSelf = (): boolean => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', killSelf);
if (!process.connected) killSelf();
process.on('message', (message: ToPreparation) => {
  if (message.kind === 'read') isReading = true;
  thread.postMessage(message);
});
// If the machine runs out of memory anyway, the OOM killer should choose this process, not the service.
void writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

setInterval(() => {
  if (isReading && process.memoryUsage.rss() > megabytes * 1_000_000) {
    answer({ kind: 'ended', because: 'memory', message: 'too much memory' });
  }
}, MEMORY_CHECK_INTERVAL_MS);

function startThread(): Worker {
  const worker = new Worker(programFile('./preparation-worker.ts', import.meta), {
    resourceLimits: { maxOldGenerationSizeMb: Math.floor(megabytes * HEAP_SHARE) },
  });
  worker.on('message', (reply: PreparationReply | ImageReaderRequest) => {
    if (reply.kind === 'prepared' || reply.kind === 'refused') answer(reply);
    else if (isReading) process.send?.(reply);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const because = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash';
    answer({ kind: 'ended', because, message: error.message });
  });
  worker.on('exit', () => {
    if (isReading) answer({ kind: 'ended', because: 'crash', message: 'the reading thread ended' });
    // Between documents no one waits for a reply; the parent starts a new process for the next document.
    else if (!hasReportedEnd) process.exit(1);
  });
  return worker;
}

/** Sends the reply to the current job. After an `ended` reply, the parent kills this process. */
function answer(reply: ProcessReply): void {
  if (!isReading) return;
  isReading = false;
  hasReportedEnd = reply.kind === 'ended';
  process.send?.(reply);
}
