import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { endlessMarkdown, jobOf } from './preparation-jobs.ts';

// Runs as a separate process, to be killed while a document keeps its reader busy.
const workers = createPreparationWorkers({ workers: 1, timeoutMs: 60_000, memoryMb: Number(process.argv[2]) });
await workers.prepare(jobOf('b.txt', 'Some words.'), new AbortController().signal);
console.log('ready');
await workers.prepare(jobOf('a.md', endlessMarkdown()), new AbortController().signal);
