/**
 * Mutates valid files of every format at random and reads them as ingestion does:
 * `node scripts/fuzz-readers.ts [--count 2000] [--seed 1] [--keep <folder>]`. Each must become a document or be refused
 * with a reason within the time limit, and this process must not grow. Prints counts; exits with 1 after a fault and
 * keeps the file that caused it in the folder.
 */
import './build-first.js';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allSamples } from '../test/ingest/readers/hostile/text-samples.ts';
import { fuzzReaders } from './fuzz-readers/fuzz-readers.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isInteger(count) || !Number.isInteger(seed) || count < 1) {
  console.error('Usage: node scripts/fuzz-readers.ts [--count 2000] [--seed 1] [--keep <folder>]');
  process.exit(2);
}

const MAX_GROWTH_MB = 20;
const started = performance.now();
const writing: Promise<void>[] = [];
const report = await fuzzReaders({
  samples: allSamples,
  count,
  seed,
  timeoutMs: 30_000,
  onFault({ fileName, number, what, bytes }) {
    console.error(`${number} ${fileName}: ${what}`);
    if (values.keep !== undefined) writing.push(keep(values.keep, `${seed}-${number}-${fileName}`, bytes));
  },
  onProgress(done) {
    if (done % 200 === 0) console.error(`${done} of ${count}`);
  },
});
await Promise.all(writing);
const grown = report.memory.end.live - report.memory.warm.live;
console.log(
  JSON.stringify(
    {
      files: count,
      seed,
      formats: Object.keys(allSamples).length,
      seconds: Math.round((performance.now() - started) / 1_000),
      ...report,
    },
    null,
    2,
  ),
);
if (grown > MAX_GROWTH_MB) console.error(`This process uses ${grown} MB more than at the start.`);
process.exitCode = report.faults > 0 || grown > MAX_GROWTH_MB ? 1 : 0;

async function keep(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), bytes);
}
