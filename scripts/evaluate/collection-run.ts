import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type ScoredCase, type ScoreName, scoreNames } from '../../src/evaluation/scores.ts';
import { modes } from './ask-queries.ts';
import { stores } from './stores.ts';

const scores = z.partialRecord(z.enum(scoreNames), z.number());

const collectionRun = z.object({
  collection: z.string(),
  /** The requested embedder; `auto` leaves it to the service. */
  embedder: z.string(),
  /** The embedder in use. */
  embedded_with: z.string(),
  mode: z.enum(modes),
  store: z.enum(stores).default('sqlite'),
  passages: z.enum(['split', 'whole']),
  titles: z.boolean(),
  graph: z.boolean(),
  among: z.number().nullable().default(null),
  typing_errors: z.boolean().default(false),
  documents: z.number(),
  chunks: z.number(),
  ingest_seconds: z.number().nullable(),
  milliseconds_per_query: z.number(),
  means: scores,
  queries: z.array(z.object({ id: z.string(), text: z.string(), scores })),
});

const runFile = z.object({
  made_at: z.string(),
  commit: z.string().nullable(),
  is_whole: z.boolean(),
  runs: z.array(collectionRun),
});

/** Results of one collection with one search mode. */
export type CollectionRun = z.output<typeof collectionRun>;
/** `is_whole` is false for an interrupted run. */
export type RunFile = z.output<typeof runFile>;

/** Reads an evaluation file; throws if the file is not one. */
export async function readRunFile(path: string): Promise<RunFile> {
  const read = runFile.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (read.success) return read.data;
  throw new Error(`${path} was not written by scripts/evaluate.ts --json (${read.error.issues[0]?.path.join('.')}).`);
}

export async function writeRunFile(path: string, file: RunFile): Promise<void> {
  await writeFile(`${path}.part`, `${JSON.stringify(file, null, 1)}\n`);
  await rename(`${path}.part`, path);
}

/** Finds the run with the same settings in an earlier file. */
export const counterpart = ({ runs }: RunFile, run: CollectionRun): CollectionRun | undefined =>
  runs.find((each) => nameOf(each) === nameOf(run));

const nameOf = ({ embedder, mode, ...run }: CollectionRun): string => {
  const { collection, store, passages, titles, graph, among, typing_errors } = run;
  // The embedder does not affect full-text search.
  const embeddedWith = mode === 'full_text' ? null : embedder;
  return JSON.stringify([collection, embeddedWith, mode, store, passages, titles, graph, among, typing_errors]);
};

export const casesOf = ({ queries }: CollectionRun): readonly ScoredCase[] => queries;

export const meanOf = ({ means }: CollectionRun, score: ScoreName): number => means[score] ?? 0;

/** The measured commit; null outside a repository. */
export async function currentCommit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: new URL('.', import.meta.url),
    });
    return stdout.trim();
  } catch {
    return null;
  }
}
