import { configuredPlace, copyRecords, nameOf, toPlace } from '../adapters/copy-records.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { Comparison, CopyEvent } from '../store/copy/copy-events.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { count, progressLine } from './progress-line.ts';

export interface MigrateStoreOptions {
  readonly to: string;
  readonly verify?: boolean;
  readonly json?: boolean;
}

const STAGES = { copy: 'Copying', full_text: 'Indexing', compare: 'Comparing' } as const;
const PROGRESS_EVERY_MS = 200;
const MEGABYTE = 1e6;

const NOT_COPIED = [
  'Evaluations, models and other files of the data folder are not copied.',
  'The vector index is filled from the copied vectors when a server starts; until then searches use these vectors.',
  'Runs in progress and request counts per minute are not copied.',
];

/** `citewell migrate store`: copies all records to another database, or compares the two. */
export async function migrateStore(options: MigrateStoreOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config();
  const [from, to] = [configuredPlace(config), toPlace(options.to, process.cwd())];
  const events = copyRecords({
    from,
    to,
    onlyVerify: options.verify === true,
    mode: config.databaseMigrate,
    signal: interruption.stop,
    report: (message) => output.note(message),
  });
  const show = createProgressReporter(context);
  let compared: readonly Comparison[] = [];
  try {
    for await (const event of events) {
      if (event.type === 'compared') compared = event.tables;
      if (options.json) output.print(JSON.stringify(toWire(event)));
      else if (event.type === 'began') {
        const words = event.how === 'new' ? 'Copying' : 'Continuing to copy';
        output.note(
          `${words} ${count(event.rows)} rows of ${event.tables} tables, ${byteCount(event.bytes)}, from ${nameOf(from)} to ${nameOf(to)}.`,
        );
      }
      if (event.type === 'progress') show(event);
    }
  } catch (error) {
    if (!interruption.stop.aborted) throw error;
    output.status('');
    output.note(options.verify ? 'Interrupted.' : 'Interrupted; the same command continues where this stopped.');
    return exitCodes.interrupted;
  }
  output.status('');
  if (!options.json) printComparison(compared, { isCopy: options.verify !== true, to: nameOf(to) }, context);
  return compared.every(({ isEqual }) => isEqual) ? exitCodes.ok : exitCodes.failure;
}

type ProgressEvent = CopyEvent & { readonly type: 'progress' };

export function createProgressReporter({ output }: CommandContext): (event: ProgressEvent) => void {
  let stage: ProgressEvent['stage'] | undefined;
  let [begunAt, shownAt] = [0, 0];
  let before = 0;
  return (event) => {
    const now = performance.now();
    const counted = event.stage === 'full_text' ? event.rows : event.bytes;
    if (event.stage !== stage) {
      if (stage !== undefined) output.status('');
      [stage, begunAt, before] = [event.stage, now, counted];
    } else if (now - shownAt < PROGRESS_EVERY_MS) return;
    shownAt = now;
    const inRows = event.stage === 'full_text';
    const scale = inRows ? 1 : MEGABYTE;
    const numbers = {
      done: Math.round(counted / scale),
      total: Math.round((inRows ? event.totalRows : event.totalBytes) / scale),
      elapsedSeconds: (now - begunAt) / 1000,
    };
    // No rate is shown while most of the count was copied by an earlier, interrupted run.
    const isResumed = before > counted / 2;
    const line = progressLine(
      {
        ...numbers,
        elapsedSeconds: isResumed ? 0 : numbers.elapsedSeconds,
        failed: 0,
        skipped: 0,
        unit: inRows ? 'texts' : 'MB',
        current: inRows ? event.table : `${event.table}, ${count(event.rows)}/${count(event.totalRows)} rows`,
      },
      output.width - STAGES[event.stage].length - 1,
    );
    output.status(`${STAGES[event.stage]} ${line}`);
  };
}

function printComparison(
  compared: readonly Comparison[],
  { isCopy, to }: { readonly isCopy: boolean; readonly to: string },
  { output }: CommandContext,
): void {
  const rows = compared.map(({ table: name, rows: [one, other], hashes, isEqual }) => [
    name,
    isEqual ? count(one) : `${count(one)} / ${count(other)}`,
    hashes[0].slice(0, 16),
    isEqual ? 'equal' : output.style('red', `differs: ${hashes[1].slice(0, 16)}`),
  ]);
  for (const line of table([['Table', 'Rows', 'SHA-256', ''], ...rows])) output.print(line);
  const different = compared.filter(({ isEqual }) => !isEqual);
  if (different.length > 0) {
    output.print(`${different.length} of ${compared.length} tables differ.`);
    if (isCopy) output.note('The copy is not released for use. Empty the target, and copy again.');
    return;
  }
  output.print(`All ${compared.length} tables are equal.`);
  if (!isCopy) return;
  for (const sentence of NOT_COPIED) output.note(sentence);
  output.note(`To use ${to}, name it in the settings of the servers (docs/scaling.md). The source was not changed.`);
}

export function toWire(event: CopyEvent): unknown {
  if (event.type === 'compared') {
    const tables = event.tables.map(({ table: name, rows, hashes, isEqual }) => ({
      table: name,
      rows,
      hashes,
      is_equal: isEqual,
    }));
    return { type: 'compared', is_equal: event.tables.every(({ isEqual }) => isEqual), tables };
  }
  if (event.type === 'began') return event;
  const { totalRows, totalBytes, ...rest } = event;
  return { ...rest, total_rows: totalRows, total_bytes: totalBytes };
}
