import { moveOriginals } from '../adapters/move-originals.ts';
import type { Config } from '../config.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { count, counted, progressLine } from './progress-line.ts';

export interface MigrateOriginalsOptions {
  readonly to: string;
  readonly json?: boolean;
}

const PROGRESS_EVERY_MS = 200;

/** `citewell migrate originals`: moves the uploaded files between the database and object storage. */
export async function migrateOriginals(options: MigrateOriginalsOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const { to } = options;
  try {
    const { files, bytes } = await moveAll(await context.config(), options, context);
    if (options.json) return exitCodes.ok;
    output.print(
      `Moved ${counted(files, 'file')}, ${byteCount(bytes)}, to ${describeTarget(to)}; all were compared by SHA-256.`,
    );
    output.note(
      to === 'database'
        ? 'Leave CITEWELL_ORIGINALS out of the settings of all servers from now on.'
        : `Set CITEWELL_ORIGINALS=${to} for all servers from now on. PostgreSQL uses the space again, and returns it with "vacuum full".`,
    );
    return exitCodes.ok;
  } catch (error) {
    if (!interruption.stop.aborted) throw error;
    output.status('');
    output.note('Interrupted; the same command continues where this stopped. No server starts until then.');
    return exitCodes.interrupted;
  }
}

/** Moves the uploaded files and shows the progress. */
export async function moveAll(
  config: Config,
  { to, json }: MigrateOriginalsOptions,
  { output, interruption }: CommandContext,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const begunAt = performance.now();
  let shownAt = 0;
  let moved = { files: 0, bytes: 0 };
  const report = (message: string) => output.note(message);
  for await (const event of moveOriginals({ config, to, signal: interruption.stop, report })) {
    const { type, files, bytes, totalFiles, totalBytes } = event;
    moved = { files, bytes };
    if (json) {
      output.print(JSON.stringify({ type, files, bytes, total_files: totalFiles, total_bytes: totalBytes }));
      continue;
    }
    if (type === 'began')
      output.note(`Moving ${counted(totalFiles, 'file')}, ${byteCount(totalBytes)}, to ${describeTarget(to)}.`);
    const now = performance.now();
    if (type !== 'progress' || now - shownAt < PROGRESS_EVERY_MS) continue;
    shownAt = now;
    const inMegabytes = { done: Math.round(bytes / 1e6), total: Math.round(totalBytes / 1e6), unit: 'MB' };
    const current = `${count(files)}/${count(totalFiles)} files`;
    const numbers = { ...inMegabytes, failed: 0, skipped: 0, elapsedSeconds: (now - begunAt) / 1000, current };
    output.status(progressLine(numbers, output.width));
  }
  output.status('');
  return moved;
}

const describeTarget = (to: string): string => (to === 'database' ? 'the database' : to);
