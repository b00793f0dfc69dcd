import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type FileEvents, watchFiles } from './file-events.ts';
import type { FolderStep } from './folder-step.ts';
import { visible, visibleLine } from './layout.ts';
import { createPendingPaths, type PendingPaths } from './pending-paths.ts';
import { count } from './progress-line.ts';
import { type SyncParts, syncPaths } from './sync-folder.ts';
import { withClient } from './with-client.ts';

export interface WatchOptions {
  readonly collection?: readonly string[];
  readonly metadata?: Metadata;
  readonly keepDeleted?: boolean;
  readonly json?: boolean;
}

/** A file is taken in when it has been left alone for so long, or after so long although it is not. */
const QUIET_MS = 500;
const MOST_MS = 60_000;
const ASK_AGAIN_MS = 2_000;
/** Without events, or should one have been lost, everything is looked at this often. */
const LOOK_AGAIN_MS = 10 * 60_000;

/** A folder that is kept in step, and where something happened in it. */
interface Watched {
  readonly root: string;
  readonly pending: PendingPaths;
  readonly duplicates: SyncParts['duplicates'];
  /** Since when a file is waited for, by path. */
  readonly unsettled: Map<string, number>;
}

/** `citewell ingest --watch`: keeps the documents of folders in step with them until Ctrl-C. */
export async function watchFolders(
  names: readonly string[],
  options: WatchOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  const { stop } = interruption;
  interruption.bePatient();
  const { dataDir: dataFolder } = await context.config();
  const roots = await foldersOf(names);
  let woken = Promise.withResolvers<void>();
  const wake = () => {
    woken.resolve();
    woken = Promise.withResolvers();
  };
  stop.addEventListener('abort', wake);

  const folders = roots.map((root): Watched => {
    const pending = createPendingPaths(root, { quietMs: QUIET_MS, mostMs: MOST_MS });
    return { root, pending, duplicates: new Map(), unsettled: new Map() };
  });
  const all = () => {
    for (const { root, pending } of folders) pending.add(root);
    wake();
  };
  const events: FileEvents[] = [];
  const lookAgain = setInterval(all, LOOK_AGAIN_MS);
  try {
    // Before the first look, so that nothing that happens during it is missed.
    for (const { root, pending } of folders) {
      const onPath = (path: string) => {
        pending.add(path);
        wake();
      };
      events.push(await watchFiles({ ...{ root, dataFolder, onPath }, onLost: all }));
    }
    for (let isFirst = true; !stop.aborted; isFirst = false) {
      all();
      try {
        await withClient(context, (client) =>
          keepInStep({ folders, client, options, dataFolder, isFirst, context, woken: () => woken.promise }),
        );
      } catch (error) {
        // The server has gone; it, or this process in its place, goes on where it stopped.
        if (!(error instanceof ServiceError) || error.code !== 'store_failed') throw error;
        if (stop.aborted) break;
        output.note(`${output.noteStyle('yellow', 'waiting')} ${error.message}`);
        await sleep(ASK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    }
    output.note('Stopped watching. The same command catches up with what changes meanwhile.');
  } catch (error) {
    if (!interruption.abandon.aborted) throw error;
  } finally {
    clearInterval(lookAgain);
    stop.removeEventListener('abort', wake);
    await Promise.all(events.map((each) => each.close()));
  }
  return exitCodes.ok;
}

async function foldersOf(names: readonly string[]): Promise<string[]> {
  const roots: string[] = [];
  for (const name of names) {
    const info = await stat(name).catch(() => undefined);
    if (info?.isDirectory() !== true) {
      throw new ServiceError('invalid_request', `"${name}" is not a folder; --watch is for folders.`);
    }
    roots.push(await realpath(name));
  }
  const inner = roots.find((root) => roots.some((other) => root !== other && root.startsWith(other + sep)));
  if (inner !== undefined) {
    throw new ServiceError('invalid_request', `${inner} is below another folder that is named; name that one alone.`);
  }
  return [...new Set(roots)];
}

interface Keeping {
  readonly folders: readonly Watched[];
  readonly client: Client;
  readonly options: WatchOptions;
  readonly dataFolder: string;
  /** Says when it has caught up. */
  readonly isFirst: boolean;
  readonly context: CommandContext;
  readonly woken: () => Promise<void>;
}

async function keepInStep(keeping: Keeping): Promise<void> {
  const { folders, context, options, isFirst, woken } = keeping;
  const { output, interruption } = context;
  const { stop } = interruption;
  for (let hasCaughtUp = false; !stop.aborted; ) {
    const tally = new Map<string, number>();
    const now = hasCaughtUp ? performance.now() : Number.POSITIVE_INFINITY;
    for (const folder of folders) {
      const paths = folder.pending.takeDue(now);
      if (paths.length > 0) await syncFolder(folder, paths, { ...keeping, tally });
    }
    if (!hasCaughtUp && !stop.aborted) {
      hasCaughtUp = true;
      if (isFirst && options.json) output.print(JSON.stringify({ type: 'watching', ...Object.fromEntries(tally) }));
      else if (isFirst) output.print(`In step: ${inWords(tally)}. Watching; Ctrl-C ends it.`);
    }
    if (stop.aborted) return;
    const waits = folders.map(({ pending }) => pending.untilDue(performance.now()) ?? LOOK_AGAIN_MS);
    const over = new AbortController();
    const slept = sleep(Math.min(...waits), undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([woken(), slept]);
    over.abort();
  }
}

async function syncFolder(
  { root, pending, duplicates, unsettled }: Watched,
  paths: readonly string[],
  { client, options, dataFolder, context, tally }: Keeping & { readonly tally: Map<string, number> },
): Promise<void> {
  const { output, interruption } = context;
  const { stop, abandon } = interruption;
  const steps = syncPaths(paths, {
    ...{ client, root, dataFolder, duplicates, stop, abandon },
    metadata: options.metadata ?? {},
    collections: options.collection ?? [],
    keepDeleted: options.keepDeleted === true,
    settleMs: (path) => (performance.now() - (unsettled.get(path) ?? performance.now()) > MOST_MS ? 0 : QUIET_MS),
  });
  try {
    for await (const step of steps) {
      if (step.type === 'unsettled') {
        if (!unsettled.has(step.name)) unsettled.set(step.name, performance.now());
        pending.add(step.name);
        continue;
      }
      unsettled.delete(step.name);
      const kind = step.type === 'document' ? step.outcome : step.type;
      tally.set(kind, (tally.get(kind) ?? 0) + 1);
      show(step, options, context);
    }
  } catch (error) {
    // What was not done is done when the server is back.
    for (const path of paths) pending.add(path);
    throw error;
  }
  output.status('');
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
    case 'kept':
      output.note(`${output.noteStyle('yellow', 'kept')} ${name}: ${step.reason}`);
  }
}

function inWords(tally: ReadonlyMap<string, number>): string {
  if (tally.size === 0) return 'nothing there yet';
  return [...tally].map(([kind, number]) => `${count(number)} ${kind}`).join(', ');
}
