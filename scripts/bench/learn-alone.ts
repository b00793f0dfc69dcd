import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { learnInWorker } from '../../src/embeddings/lsa/learn-in-worker.ts';

/** What a process reports that trains an embedder and does nothing else. */
export interface LearningReport {
  /** Milliseconds of training. */
  readonly learning: number;
  /** Megabytes by which the process grew at the peak. */
  readonly peak: number;
}

const BATCH = 256;

/** Texts come from a file, a JSON string per line, so that they are not all in memory, as with the store. */
async function* batches(path: string): AsyncGenerator<readonly string[], void> {
  let batch: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    batch.push(JSON.parse(line) as string);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function main(textsPath: string, artefactPath: string, chunkCount: number): Promise<void> {
  // What reading the file takes is not part of the training.
  for await (const _ of batches(textsPath));
  const before = process.memoryUsage().rss;
  const startedAt = performance.now();
  const steps = learnInWorker({ chunkCount, texts: batches(textsPath) }, new AbortController().signal);
  let step = await steps.next();
  while (!step.done) step = await steps.next();
  const learning = performance.now() - startedAt;
  // The maximum is the kernel's, in kilobytes, and misses no peak.
  const peak = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
  await writeFile(artefactPath, step.value);
  process.send?.({ learning, peak } satisfies LearningReport);
}

const [textsPath = '', artefactPath = '', chunkCount = ''] = process.argv.slice(2);
await main(textsPath, artefactPath, Number(chunkCount));
