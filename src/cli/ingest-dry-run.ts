import type { Config } from '../config.ts';
import { findFiles, type SkipReason } from '../ingest/folders/find-files.ts';
import { isSupported } from '../ingest/folders/supported-files.ts';
import { isUrl } from '../ingest/ingest-all.ts';
import { extensionOf, typeByExtension, typeByName } from '../ingest/readers/file-types.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { visibleLine } from './layout.ts';
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
  const isRefused = (path: string): boolean => {
    const { isImage, isRecording } = typeByExtension(extensionOf(path)) ?? {};
    return (isImage && config.images.reader === 'off') || (isRecording && config.transcriber === undefined) || false;
  };
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
    else output.note(`${output.noteStyle('red', 'would fail')} ${visibleLine(name)}: ${reason}`);
  };
  for (const name of names) {
    if (isUrl(name)) {
      show(name, null);
      continue;
    }
    // Pictures and recordings are refused when they are submitted.
    const isRead = async (path: string) => !isRefused(path) && (await isSupported(path));
    for await (const found of findFiles(name, { isSupported: isRead, dataFolder, signal: interruption.stop })) {
      if (found.kind === 'file') {
        const problem = problemOf(found.path, found.sizeInBytes, config.maxFileBytes);
        if (problem === undefined) show(found.path, found.sizeInBytes);
        else fail(found.path, problem);
        continue;
      }
      const { path, reason } = found;
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      if (json) output.print(JSON.stringify({ type: 'skipped', name: path, reason }));
      else if (isWorthNaming(reason)) named.push({ name: path, reason });
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
  return interruption.received() === 'SIGINT' ? exitCodes.interrupted : exitCodes.ok;
}

/** How long a local model will embed, which may be hours. Of compressed formats the size says little. */
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

/** Why a file would fail, as far as can be told without reading it. */
function problemOf(path: string, sizeInBytes: number, most: number | undefined): string | undefined {
  if (sizeInBytes === 0) return 'it is empty.';
  const maxBytes = most ?? (typeByExtension(extensionOf(path)) ?? typeByName('txt'))?.maxBytes ?? 0;
  return sizeInBytes > maxBytes
    ? `it has ${byteCount(sizeInBytes)}; at most ${byteCount(maxBytes)} are read.`
    : undefined;
}
