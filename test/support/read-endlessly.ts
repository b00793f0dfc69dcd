import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { endlessMarkdown, jobOf } from './preparation-jobs.ts';

// A child process for tests that kill it while a document keeps its reader process busy.
const workers = createPreparationWorkers({ workers: 1, timeoutMs: 60_000, memoryMb: Number(process.argv[2]) });
await workers.prepare(jobOf('b.txt', 'Some words.'), new AbortController().signal);
console.log('ready');
await workers.prepare(jobOf('a.md', endlessMarkdown()), new AbortController().signal);
