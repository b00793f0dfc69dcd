import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { isUrl } from '../ingest/find-sources.ts';
import { findFiles, type SkipReason } from '../ingest/folders/find-files.ts';
import { zipDirectory } from '../ingest/folders/format-of-zip.ts';
import {
  isSupported,
  refuseLarge,
  typeOfFile,
  unreadableFile,
  unreadableWords,
} from '../ingest/folders/supported-files.ts';
import { noText } from '../ingest/prepare-document.ts';
import { requireUnlocked } from '../ingest/readers/containers/zip.ts';
import { imageNotRead } from '../ingest/readers/image/image-reader.ts';
import { checkSize } from '../ingest/readers/index.ts';
import { recordingNotRead } from '../ingest/readers/recording.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { visible, visibleLine } from './layout.ts';
import { count, duration } from './progress-line.ts';
import { isWorthNaming, type NamedSkip, noteSkipped, skipWords } from './skipped-files.ts';

/** `citewell ingest --dry-run`: lists the files that would be read or skipped, without ingesting. */
export async function listSources(
  names: readonly string[],
  { json }: { readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config();
  const { dataDir: dataFolder } = config;
  const skipped = new Map<SkipReason, number>();
  const named: NamedSkip[] = [];
  let files = 0;
  let bytes = 0;
  let failed = 0;
  const show = (name: string, size: number | null) => {
    files += 1;
    bytes += size ?? 0;
    if (json) output.print(JSON.stringify({ type: 'source', name, size_in_bytes: size }));
    else output.print(size === null ? visibleLine(name) : `${visibleLine(name)}  ${byteCount(size)}`);
  };
  const fail = (name: string, reason: string) => {
    failed += 1;
    if (json) output.print(JSON.stringify({ type: 'failed', name, reason }));
    else output.note(`${output.noteStyle('red', 'would fail')} ${visibleLine(name)}: ${visible(reason)}`);
  };
  const skip = (name: string, reason: SkipReason) => {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    if (json) output.print(JSON.stringify({ type: 'skipped', name, reason }));
    else if (isWorthNaming(reason)) named.push({ name, reason });
  };
  for (const name of names) {
    if (isUrl(name)) {
      show(name, null);
      continue;
    }
    for await (const found of findFiles(name, { isSupported, dataFolder, signal: interruption.stop })) {
      const { path } = found;
      if (found.kind === 'skipped') skip(path, found.reason);
      else if (found.kind === 'unreadable') fail(path, unreadableWords(found.problem));
      else {
        const problem = await problemOf(found, config);
        if (problem === undefined) show(path, found.sizeInBytes);
        // As in the ingestion, an unsupported file that was not named explicitly is skipped.
        else if (problem.code === 'unsupported_type' && !found.isNamed) skip(path, problem.unread ?? 'unsupported');
        else fail(path, problem.message);
      }
    }
  }
  if (json) {
    output.print(JSON.stringify({ type: 'summary', files, bytes, failed, skipped: Object.fromEntries(skipped) }));
  } else {
    const skips = [...skipped].map(([reason, number]) => `${count(number)} ${skipWords[reason]}`).join(', ');
    const failures = failed === 0 ? '' : `, ${count(failed)} would fail`;
    output.print(
      `${count(files)} would be read (${byteCount(bytes)})${failures}${skips === '' ? '' : `; skipped: ${skips}`}.`,
    );
    noteSkipped(named, output);
    await noteEmbeddingTime(bytes, config, output);
  }
  if (interruption.received() === 'SIGINT') return exitCodes.interrupted;
  if (failed === 0) return exitCodes.ok;
  return files > 0 ? exitCodes.partly : exitCodes.failure;
}

/** Estimates how long a local model will embed, possibly hours. For compressed formats, the size says little. */
async function noteEmbeddingTime(bytes: number, config: Config, output: CommandContext['output']): Promise<void> {
  const name = config.embeddingModel;
  if (!name?.startsWith('local/') || bytes === 0) return;
  const { embeddingSpeed, SAMPLE_LENGTH } = await import('./check-local-models.ts');
  const speed = await embeddingSpeed(config, name);
  const seconds = bytes / SAMPLE_LENGTH / speed;
  output.print(
    `Embedding with ${name} would take about ${duration(seconds)} if all of it is text (${speed.toFixed(1)} chunks a second).`,
  );
}

/** Archives whose list of files shows whether a password is needed. */
const PACKED = new Set(['7z', 'rar', 'cab']);

/** The error with which ingesting a file would fail, as far as this can be determined without reading all of it. */
async function problemOf(
  { path, sizeInBytes }: { readonly path: string; readonly sizeInBytes: number },
  { maxFileBytes, images, transcriber }: Config,
): Promise<ServiceError | undefined> {
  const fileName = basename(path);
  try {
    await refuseLarge(path, sizeInBytes, maxFileBytes).catch((error: Error) => {
      throw error instanceof ServiceError ? error : unreadableFile(error);
    });
    const type = await typeOfFile(path);
    checkSize(type, { bytes: { byteLength: sizeInBytes }, fileName }, maxFileBytes);
    if (type.isImage && images.reader === 'off') throw imageNotRead(fileName);
    if (type.isRecording && transcriber === undefined) throw recordingNotRead(fileName);
    if (sizeInBytes === 0) throw noText(fileName);
    if (type.type === 'zip') requireUnlocked((await zipDirectory(path)) ?? [], fileName);
    if (PACKED.has(type.type)) {
      const { requireUnpackable } = await import('../ingest/readers/containers/seven-zip.ts');
      await requireUnpackable({ bytes: await readFile(path), fileName });
    }
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
