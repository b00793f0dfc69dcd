import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { restoreToPostgres } from '../adapters/restore-records.ts';
import type { BackupManifest } from '../backup/backup-manifest.ts';
import { restoreBackup, verifyBackup } from '../backup/restore-backup.ts';
import { isEncryptedFile, requireWritable, type SealOptions, sealArchive } from '../backup/seal.ts';
import { ServiceError } from '../errors.ts';
import { byteCount } from '../shared/byte-count.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import { placeOf } from '../store/originals/s3/s3-settings.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { moveAll } from './migrate-originals.ts';
import { createProgressReporter, toWire } from './migrate-store.ts';
import { counted, progressLine } from './progress-line.ts';
import { readPassword } from './read-password.ts';
import { withClient } from './with-client.ts';

interface BackupOptions {
  readonly encrypt?: boolean;
  readonly passphraseStdin?: boolean;
  readonly json?: boolean;
}

/** `citewell backup`: everything that is stored, in one new file. */
export async function backUp(name: string, options: BackupOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const file = resolve(name);
  await requireWritable(file);
  const isEncrypted = options.encrypt === true || options.passphraseStdin === true;
  const passphrase = isEncrypted ? await askPassphrase(options, context, true) : undefined;
  return withClient(
    context,
    async (client) => {
      output.status('Copying the database …');
      const show = progressOf(options, context);
      const { bytes, content } = await client.backup(interruption.stop, (copied) => show('copying', copied));
      await sealArchive(content, file, sealOptions(passphrase, bytes, options, context));
      const { size } = await stat(file);
      const facts = { file, bytes, file_bytes: size, encrypted: isEncrypted };
      if (options.json) output.print(JSON.stringify({ type: 'done', ...facts }));
      else {
        output.print(`Wrote ${file}: ${byteCount(bytes)} in ${byteCount(size)}${isEncrypted ? ', encrypted' : ''}.`);
        if (!isEncrypted)
          output.note(output.noteStyle('dim', 'It contains all documents and password hashes, unencrypted.'));
      }
      return exitCodes.ok;
    },
    { embedder: 'keep', releasesStore: false },
  );
}

/** `citewell backup verify` */
export async function verify(name: string, options: BackupOptions, context: CommandContext): Promise<ExitCode> {
  const { file, seal } = await existing(name, options, context);
  const manifest = await verifyBackup(file, seal);
  printResult({ type: 'verified', words: 'is complete and undamaged', file, manifest }, options, context);
  return exitCodes.ok;
}

/** `citewell restore` */
export async function restore(name: string, options: BackupOptions, context: CommandContext): Promise<ExitCode> {
  const config = await context.config();
  const { dataDir, databaseUrl, originals } = config;
  const { file, seal } = await existing(name, options, context);
  const manifest =
    databaseUrl === undefined
      ? await restoreBackup(file, dataDir, seal)
      : await restoreToDatabase({ file, url: databaseUrl, config: { dataDir }, seal }, options, context);
  // If not all files could be moved, servers refuse to start and say how to continue.
  if (originals.place !== undefined)
    await moveAll(config, { to: placeOf(originals.place), json: options.json === true }, context);
  const where = databaseUrl === undefined ? dataDir : nameOfDatabase(databaseUrl);
  printResult({ type: 'restored', words: `is restored in ${where}`, file, manifest }, options, context);
  if (!options.json) {
    context.output.note('The vector index is rebuilt at the next start; until then, searches use the stored vectors.');
  }
  return exitCodes.ok;
}

/** Restores into PostgreSQL and shows the progress of copying from the unpacked archive. */
async function restoreToDatabase(
  parts: Omit<Parameters<typeof restoreToPostgres>[0], 'report'>,
  { json }: BackupOptions,
  context: CommandContext,
): Promise<BackupManifest> {
  const { output } = context;
  const events = restoreToPostgres({ ...parts, report: (message) => output.note(message) });
  const show = createProgressReporter(context);
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) {
      output.status('');
      return value;
    }
    if (json) output.print(JSON.stringify(toWire(value)));
    else if (value.type === 'progress') show(value);
  }
}

async function existing(name: string, options: BackupOptions, context: CommandContext) {
  const file = resolve(name);
  const passphrase = (await isEncryptedFile(file)) ? await askPassphrase(options, context, false) : undefined;
  const { size } = await stat(file);
  return { file, seal: sealOptions(passphrase, size, options, context) };
}

interface ArchiveResult {
  readonly type: 'verified' | 'restored';
  /** Completes the sentence that begins with the file's name. */
  readonly words: string;
  readonly file: string;
  readonly manifest: BackupManifest;
}

function printResult(
  { type, words, file, manifest }: ArchiveResult,
  { json }: BackupOptions,
  { output }: CommandContext,
): void {
  const { documents, chunks, bytes, created_at, citewell } = manifest;
  if (json) output.print(JSON.stringify({ type, file, ...manifest }));
  else {
    output.print(
      `${file} ${words}: ${counted(documents, 'document')}, ${counted(chunks, 'chunk')}, ${byteCount(bytes)}, ` +
        `made on ${created_at} by Citewell ${citewell}.`,
    );
  }
}

/** Options for reading or writing an archive; progress is shown at most twice a second. */
function sealOptions(
  passphrase: string | undefined,
  total: number,
  options: BackupOptions,
  context: CommandContext,
): SealOptions {
  const show = progressOf(options, context);
  let shownAt = 0;
  return {
    passphrase,
    signal: context.interruption.stop,
    onProgress(bytes) {
      const now = performance.now();
      if (now - shownAt < PROGRESS_EVERY_MS && bytes < total) return;
      shownAt = now;
      // The archive is slightly larger than its files.
      show('archive', { done: Math.min(bytes, total), total });
    },
  };
}

/** Shows the progress of one stage in bytes: copying the database, or writing or reading the archive. */
function progressOf({ json }: BackupOptions, { output }: CommandContext) {
  const startedAt = performance.now();
  return (stage: 'copying' | 'archive', { done, total }: { readonly done: number; readonly total: number }) => {
    if (json) output.print(JSON.stringify({ type: 'progress', stage, done, total }));
    const [size, unit] = total < SHOWN_IN_MEGABYTES ? [1e3, 'KB'] : [1e6, 'MB'];
    const inUnits = { done: Math.round(done / size), total: Math.round(total / size), unit };
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const current = stage === 'copying' ? 'copying the database' : undefined;
    const progress = { ...inUnits, failed: 0, skipped: 0, elapsedSeconds, ...(current && { current }) };
    output.status(progressLine(progress, output.width));
  };
}

const PROGRESS_EVERY_MS = 500;
const SHOWN_IN_MEGABYTES = 2_000_000;

async function askPassphrase(
  { passphraseStdin = false }: BackupOptions,
  { interruption }: CommandContext,
  isNew: boolean,
) {
  const passphrase = await readPassword({
    input: process.stdin,
    echo: process.stderr,
    isPiped: passphraseStdin,
    stop: interruption.stop,
    word: 'passphrase',
    isNew,
  });
  if (passphrase === '') throw new ServiceError('invalid_request', 'The passphrase is empty; nothing was done.');
  return passphrase;
}
