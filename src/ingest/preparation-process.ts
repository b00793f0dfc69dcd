import { writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { PreparationReply, ToPreparation } from './preparation-worker.ts';
import type { SightMessage } from './sight-source.ts';

/** What the process answers to a job: what the thread said, or that it ended without a word. */
export type ProcessReply =
  | PreparationReply
  | SightMessage
  | { readonly kind: 'ended'; readonly because: 'memory' | 'crash'; readonly message: string };

/**
 * The program of the child process that reads documents: `preparation-process.ts MEGABYTES`.
 *
 * A thread of its own reads, so that this one stays free to watch the memory that the heap limit does not cover, and to
 * notice the parent's death even while a document keeps the reader in a loop.
 */
const megabytes = Number(process.argv[2]);
const LOOK_EVERY_MS = 100;

const thread = startThread();
let isReading = false;
/** That reading is over for good. */
let hasTold = false;

process.on('disconnect', () => process.exit());
process.on('message', (message: ToPreparation) => {
  if (message.kind === 'read') isReading = true;
  thread.postMessage(message);
});
// Where memory runs out all the same, the system should end this process and not the service.
void writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

setInterval(() => {
  if (isReading && process.memoryUsage.rss() > megabytes * 1_000_000) {
    answer({ kind: 'ended', because: 'memory', message: 'too much memory' });
  }
}, LOOK_EVERY_MS);

function startThread(): Worker {
  const extension = import.meta.filename.endsWith('.js') ? 'js' : 'ts';
  const worker = new Worker(new URL(`./preparation-worker.${extension}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  worker.on('message', (reply: PreparationReply | SightMessage) => {
    if (reply.kind === 'prepared' || reply.kind === 'refused') answer(reply);
    else if (isReading) process.send?.(reply);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const because = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash';
    answer({ kind: 'ended', because, message: error.message });
  });
  worker.on('exit', () => {
    if (isReading) answer({ kind: 'ended', because: 'crash', message: 'the reading thread ended' });
    // Between two documents nobody is told; gone, this process is asked for nothing more.
    else if (!hasTold) process.exit(1);
  });
  return worker;
}

/** Whoever asked ends this process when it has no thread to read with any more. */
function answer(reply: ProcessReply): void {
  if (!isReading) return;
  isReading = false;
  hasTold = reply.kind === 'ended';
  process.send?.(reply);
}
