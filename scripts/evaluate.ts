import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { significantLosses } from '../src/evaluation/compare-runs.ts';
import { meanScores } from '../src/evaluation/scores.ts';
import { openTestCollection, type TestCollection } from '../src/evaluation/test-collection.ts';
import { askQueries } from './evaluate/ask-queries.ts';
import {
  type CollectionRun,
  counterpart,
  currentCommit,
  meanOf,
  type RunFile,
  readRunFile,
  writeRunFile,
} from './evaluate/collection-run.ts';
import { ingestCollection } from './evaluate/ingest-collection.ts';
import { type EvaluateOptions, readOptions, USAGE } from './evaluate/options.ts';
import { differences, overview, runTable } from './evaluate/report.ts';
import { type Service, startService } from './evaluate/service.ts';

const SHORT_NAMES: Readonly<Record<string, string | undefined>> = {
  auto: undefined,
  hash: 'builtin/lexical-hash-v1',
  lsa: 'builtin/lsa-v1',
};
const LEARNED = 'builtin/lsa-v1';

async function main(signal: AbortSignal): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  // Whatever is wrong with the input is said before the first hour is spent.
  const collections = await Promise.all(options.folders.map(openTestCollection));
  const before = options.against === undefined ? undefined : await readRunFile(options.against);
  for (const { name, notes } of collections) for (const note of notes) console.error(`${name}: ${note}`);

  const runs: CollectionRun[] = [];
  try {
    for (const collection of collections) {
      for (const embedder of options.embedders) {
        for await (const run of evaluate(collection, { ...options, embedder, signal })) {
          runs.push(run);
          const { mode } = run;
          progress('');
          console.error(`${collection.name}, ${embedder}, ${mode}: nDCG@10 ${meanOf(run, 'ndcg@10').toFixed(3)}`);
        }
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error('Stopped; these are the runs that were finished.');
  }
  progress('');
  const file: RunFile = {
    made_at: new Date().toISOString(),
    commit: await currentCommit(),
    is_whole: !signal.aborted,
    runs,
  };
  if (options.json !== undefined) await writeRunFile(options.json, file);
  report(file, before, options);
  if (signal.aborted) process.exitCode = 130;
}

interface Evaluating extends EvaluateOptions {
  readonly embedder: string;
  readonly signal: AbortSignal;
}

/** One collection under one embedder, a run for each way of searching. */
async function* evaluate(collection: TestCollection, options: Evaluating): AsyncGenerator<CollectionRun, void> {
  const { embedder, isWhole, isGraphOn } = options;
  const hasTitles = !options.withoutTitles.some((prefix) => collection.name.startsWith(prefix));
  const way = { embedder, isWhole, isGraphOn, hasTitles };
  const temporary = options.data === undefined ? await mkdtemp(join(tmpdir(), 'citewell-evaluate-')) : undefined;
  const dataFolder = temporary ?? join(resolve(options.data ?? ''), folderName(collection, way));
  try {
    yield* measure(collection, { ...options, hasTitles, dataFolder });
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Measuring extends Evaluating {
  readonly hasTitles: boolean;
  readonly dataFolder: string;
}

async function* measure(collection: TestCollection, options: Measuring): AsyncGenerator<CollectionRun, void> {
  const { embedder, isWhole, isGraphOn, hasTitles, dataFolder, signal } = options;
  const named = embedder in SHORT_NAMES ? SHORT_NAMES[embedder] : embedder;
  const service = await startService({ dataFolder, embedder: named, isGraphOn }, signal);
  const label = `${collection.name}, ${embedder}`;
  try {
    const tell = (done: number) => progress(`${label}: ${done}/${collection.documentCount} documents`);
    const ingested = await ingestCollection({ collection, service, dataFolder, hasTitles, isWhole, progress: tell });
    if (ingested.empty > 0) console.error(`${label}: ${ingested.empty} documents without text are left out.`);
    progress(`${label}: learning from the documents`);
    await makeReady(service, named);
    const { embedder: embeddedWith, chunks } = await service.status();
    const queries = collection.queries.slice(0, options.queries);
    for (const mode of options.modes) {
      const { cases, millisecondsPerQuery } = await askQueries({
        ...{ service, mode, queries, names: ingested.names, limit: options.limit, withGraph: isGraphOn },
        progress: (done) => progress(`${label}, ${mode}: ${done}/${queries.length} queries`),
      });
      yield {
        collection: collection.name,
        embedder,
        embedded_with: embeddedWith,
        mode,
        passages: isWhole ? 'whole' : 'split',
        titles: hasTitles,
        graph: isGraphOn,
        documents: ingested.names.size,
        chunks,
        ingest_seconds: ingested.seconds ?? null,
        milliseconds_per_query: millisecondsPerQuery,
        means: meanScores(cases),
        queries: [...cases],
      };
    }
  } finally {
    await service.close();
  }
}

/** What is learned from a corpus is there before the first query, as it is for a user a moment later. */
async function makeReady(service: Service, embedder: string | undefined): Promise<void> {
  if (embedder === undefined) return service.settle();
  const { embedder: current } = await service.status();
  if (embedder === LEARNED && current !== LEARNED) await service.follow('/system/reindex', { model: LEARNED });
}

/** Another corpus, or another way to take it in, is another folder. */
function folderName({ name, corpusHash }: TestCollection, way: object): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([corpusHash, way]))
    .digest('hex');
  return `${name}-${hash.slice(0, 12)}`;
}

function report(file: RunFile, before: RunFile | undefined, options: EvaluateOptions): void {
  const print = (lines: readonly string[]) => console.log(`${lines.join('\n')}\n`);
  if (file.runs.length === 0) return;
  print(runTable(file.runs, options.isMarkdown));
  print(overview(file.runs, options.isMarkdown));
  for (const run of file.runs) {
    for (const { score, least } of options.failBelow) {
      if (meanOf(run, score) < least) fail(`${run.collection}, ${run.mode}: ${score} is below ${least}.`);
    }
    const then = before && counterpart(before, run);
    if (then === undefined) continue;
    const { lines, comparison } = differences(then, run);
    print(lines);
    for (const { score } of significantLosses(comparison)) {
      if (options.failOnLoss.includes(score)) fail(`${run.collection}, ${run.mode}: ${score} is significantly worse.`);
    }
  }
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 1;
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

if (import.meta.main) {
  const stop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? process.exit(130) : stop.abort());
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    await main(stop.signal);
  } catch (error) {
    progress('');
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
