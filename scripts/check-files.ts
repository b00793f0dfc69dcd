/**
 * Reads every file of a folder as ingestion does and compares the result with the expectations in its manifest.json:
 * `node scripts/check-files.ts <folder> [part of a name]`. Prints a line per file and totals; exits with 1 on failure.
 */
import './build-first.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../src/errors.ts';
import { createPreparationWorkers } from '../src/ingest/prepare-in-worker.ts';
import { detectType } from '../src/ingest/readers/detect-type.ts';

const entrySchema = z.object({
  file: z.string(),
  /** `text`: must be read and contain all snippets; `empty`, `reject`: must be refused; `survive`: either. */
  expect: z.enum(['text', 'empty', 'reject', 'survive']),
  snippets: z.array(z.string()).default([]),
  absent: z.array(z.string()).default([]),
  /** Whether readers may separate the comma-separated parts of a snippet differently. */
  looseSeparators: z.boolean().default(false),
  optional: z.boolean().default(false),
});
type Entry = z.infer<typeof entrySchema>;

const [folder, part = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/check-files.ts <folder with manifest.json> [part of a file name]');
  process.exit(2);
}

const entries = z
  .array(entrySchema)
  .parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')))
  .filter(({ file }) => file.includes(part));
const threads = createPreparationWorkers({ workers: 1, timeoutMs: 60_000, memoryMb: 1_024 });
const counts = { passed: 0, failed: 0, 'failed, optional': 0 };
for (const entry of entries) {
  const started = performance.now();
  const outcome = await read(entry.file);
  const milliseconds = Math.round(performance.now() - started);
  const fault = faultOf(entry, outcome);
  const verdict = fault === undefined ? 'passed' : entry.optional ? 'failed, optional' : 'failed';
  counts[verdict]++;
  const found = outcome.kind === 'read' ? `${outcome.type}, ${outcome.text.length} characters` : outcome.reason;
  console.log(`${verdict.padEnd(8)} ${entry.file} (${milliseconds} ms): ${fault ?? found}`);
}
await threads.close();
console.log(
  Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', '),
);
process.exitCode = counts.failed > 0 ? 1 : 0;

type Outcome =
  | { readonly kind: 'read'; readonly type: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'crashed'; readonly reason: string };

async function read(fileName: string): Promise<Outcome> {
  try {
    const bytes = new Uint8Array(await readFile(join(folder ?? '', fileName)));
    const { type } = await detectType({ bytes, fileName });
    const job = { bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: true } as const;
    const { text, title = '' } = await threads.prepare(job, new AbortController().signal);
    return { kind: 'read', type, text: `${title}\n${text}` };
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'timeout' && error.code !== 'internal')
      return { kind: 'refused', reason: `refused, ${error.code}: ${error.message}` };
    return { kind: 'crashed', reason: String(error) };
  }
}

/** Describes what is wrong with the outcome; undefined if it is as expected. */
function faultOf(entry: Entry, outcome: Outcome): string | undefined {
  if (outcome.kind === 'crashed') return outcome.reason;
  if (entry.expect === 'survive') return undefined;
  if (entry.expect !== 'text') return outcome.kind === 'refused' ? undefined : 'was read and should have been refused';
  if (outcome.kind === 'refused') return outcome.reason;
  const plain = entry.looseSeparators ? withoutSeparators : oneLine;
  const text = plain(outcome.text);
  const missing = entry.snippets.filter((snippet) => !text.includes(plain(snippet)));
  const present = entry.absent.filter((snippet) => text.includes(plain(snippet)));
  if (missing.length > 0) return `without ${JSON.stringify(missing)}`;
  return present.length > 0 ? `with ${JSON.stringify(present)}` : undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function withoutSeparators(text: string): string {
  return text.replaceAll(/[\s,;|]+/g, '');
}
