import { significantLosses } from '../src/evaluation/compare-runs.ts';
import { openTestCollection } from '../src/evaluation/test-collection.ts';
import {
  type CollectionRun,
  counterpart,
  currentCommit,
  meanOf,
  type RunFile,
  readRunFile,
  writeRunFile,
} from './evaluate/collection-run.ts';
import { measureCollection } from './evaluate/measure-collection.ts';
import { type EvaluateOptions, readOptions, USAGE } from './evaluate/options.ts';
import { differences, overview, runTable, storeTable } from './evaluate/report.ts';

async function main(signal: AbortSignal): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  // Input errors are reported before the long run starts.
  const collections = await Promise.all(options.folders.map(openTestCollection));
  const before = options.against === undefined ? undefined : await readRunFile(options.against);
  for (const { name, notes } of collections) for (const each of notes) note(`${name}: ${each}`);

  const runs: CollectionRun[] = [];
  let failure: unknown;
  try {
    for (const collection of collections) {
      for await (const run of measureCollection(collection, { ...options, progress, note }, signal)) {
        runs.push(run);
        note(
          `${run.collection}, ${run.store}, ${run.embedder}, ${run.mode}: nDCG@10 ${meanOf(run, 'ndcg@10').toFixed(3)}`,
        );
      }
    }
  } catch (error) {
    failure = error;
    note('These are the runs that were finished until then.');
  }
  progress('');
  const file: RunFile = {
    made_at: new Date().toISOString(),
    commit: await currentCommit(),
    is_whole: failure === undefined,
    runs,
  };
  if (options.json !== undefined) await writeRunFile(options.json, file);
  report(file, before, options);
  if (signal.aborted) process.exitCode = 130;
  else if (failure !== undefined) throw failure;
}

function report(file: RunFile, before: RunFile | undefined, options: EvaluateOptions): void {
  const print = (lines: readonly string[]) => console.log(`${lines.join('\n')}\n`);
  if (file.runs.length === 0) return;
  print(runTable(file.runs, options.isMarkdown));
  print(overview(file.runs, options.isMarkdown));
  if (options.stores.length > 1) {
    const { lines, isEqual } = storeTable(file.runs, options.isMarkdown);
    print(lines);
    if (!isEqual) fail('The stores do not rank alike.');
  }
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

function note(line: string): void {
  progress('');
  console.error(line);
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
