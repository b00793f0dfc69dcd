import type { Metadata } from '../documents/document.ts';
import type { FolderStep } from '../ingest/folders/folder-step.ts';
import { followFolders } from '../ingest/folders/follow-folders.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { foldersOf } from './folders-of.ts';
import { visible, visibleLine } from './layout.ts';
import { count } from './progress-line.ts';
import { withClient } from './with-client.ts';

export interface WatchOptions {
  readonly collection?: readonly string[];
  readonly metadata?: Metadata;
  readonly keepDeleted?: boolean;
  readonly json?: boolean;
}

/** `citewell ingest --watch`: keeps documents in sync with folders until Ctrl-C. */
export async function watchFolders(
  names: readonly string[],
  options: WatchOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  interruption.finishFirst();
  const { dataDir: dataFolder, maxFileBytes: maxBytes } = await context.config();
  const roots = await foldersOf(names);
  const tally = new Map<string, number>();
  try {
    await withClient(context, (client) =>
      followFolders({
        client,
        roots,
        dataFolder,
        maxBytes,
        stop: interruption.stop,
        abandon: interruption.abandon,
        metadata: options.metadata ?? {},
        collections: options.collection ?? [],
        keepDeleted: options.keepDeleted === true,
        onStep(step) {
          const kind = step.type === 'document' ? step.outcome : step.type;
          tally.set(kind, (tally.get(kind) ?? 0) + 1);
          show(step, options, context);
        },
        onCaughtUp() {
          if (options.json) output.print(JSON.stringify({ type: 'watching', ...Object.fromEntries(tally) }));
          else output.print(`Up to date: ${describeCounts(tally)}. Watching; Ctrl-C ends it.`);
        },
        onLost: ({ message }) => output.note(`${output.noteStyle('yellow', 'waiting')} ${message}`),
      }),
    );
    output.note('Stopped watching. The same command catches up on changes made meanwhile.');
  } catch (error) {
    if (!interruption.abandon.aborted) throw error;
  }
  return exitCodes.ok;
}

function show(step: FolderStep, { json }: WatchOptions, { output }: CommandContext): void {
  if (step.type === 'unchanged' || step.type === 'unsettled') return;
  if (json) {
    const { documentId, ...rest } = { documentId: undefined, ...step };
    output.print(JSON.stringify({ ...rest, ...(documentId !== undefined && { document_id: documentId }) }));
    return;
  }
  const name = visibleLine(step.name);
  switch (step.type) {
    case 'document':
      if (step.outcome !== 'failed') output.print(`${step.outcome} ${name}`);
      else output.note(`${output.noteStyle('red', 'failed')} ${name}: ${visible(step.reason ?? '')}`);
      return;
    case 'moved':
      output.print(`moved ${visibleLine(step.from)} -> ${name}`);
      return;
    case 'removed':
      output.print(`removed ${name}`);
      return;
    case 'skipped':
    case 'kept':
      output.note(`${output.noteStyle('yellow', step.type)} ${name}: ${visible(step.reason)}`);
  }
}

function describeCounts(tally: ReadonlyMap<string, number>): string {
  if (tally.size === 0) return 'nothing there yet';
  return [...tally].map(([kind, number]) => `${count(number)} ${kind}`).join(', ');
}
