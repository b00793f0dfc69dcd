import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { checkRegularly } from '../../shared/check-regularly.ts';
import type { FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { UserRecords } from '../../store/user-records.ts';
import { type Followed, markStopped, startTally } from './followed.ts';
import { requireOwnerRights } from './require-owner-rights.ts';
import { type SourceTargetParts, sourceTarget } from './source-target.ts';

export interface FollowFolderParts extends SourceTargetParts {
  readonly records: Pick<FollowedSourceRecords, 'saveReport'>;
  readonly users: Pick<UserRecords, 'get'>;
  readonly allowedFolders: readonly string[];
  readonly dataFolder: string;
  /** Maximum size in bytes; larger files are not read. */
  readonly maxFileBytes?: number | undefined;
}

/** Pause before a folder that cannot be read, for example on an unmounted disk, is tried again. */
const RETRY_MS = 60_000;
/**
 * Interval at which a watched folder and the rights of its owner are checked. A folder that was moved or remounted must
 * be watched again, because the system still watches the old one.
 */
const CHECK_MS = 2_000;

/** Keeps the documents of a folder in step with its files until the signal aborts. */
export async function followFolder(entry: Followed, parts: FollowFolderParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isReplaced = await watchFolder(entry, parts, signal);
    if (!isReplaced) await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await entry.tally?.save();
}

/** Returns true if the folder was replaced or its owner lost the right to follow it; false otherwise. */
async function watchFolder(entry: Followed, parts: FollowFolderParts, signal: AbortSignal): Promise<boolean> {
  const { location } = entry.source;
  if (location.kind !== 'folder') return false;
  const { records, users, allowedFolders, dataFolder, maxFileBytes: maxBytes } = parts;
  const { followFolders } = await import('../folders/follow-folders.ts');
  const { followableFolder, identityOf } = await import('../folders/followable-folder.ts');
  const tally = startTally(entry, records);
  const replaced = new AbortController();
  const ended = new AbortController();
  try {
    await requireOwnerRights(entry.source, users);
    const path = await followableFolder(location.path, allowedFolders);
    if (path !== location.path)
      throw new ServiceError(
        'conflict',
        `${location.path} now resolves to ${path}. Remove this source and add it again.`,
      );
    void tally.count(path, dataFolder, signal);
    const over = AbortSignal.any([signal, replaced.signal]);
    const watched = await identityOf(path);
    const isStillValid = async () => {
      const isAllowed = await requireOwnerRights(entry.source, users).then(
        () => true,
        () => false,
      );
      return isAllowed && (await identityOf(path)) === watched;
    };
    const signalOfCheck = AbortSignal.any([over, ended.signal]);
    void checkRegularly(isStillValid, { everyMs: CHECK_MS, signal: signalOfCheck }).then((isInvalid) => {
      if (isInvalid) replaced.abort();
    });
    await followFolders({
      client: sourceTarget(entry.source, parts),
      roots: [path],
      dataFolder,
      metadata: {},
      collections: [],
      maxBytes,
      keepDeleted: location.keepDeleted,
      within: allowedFolders,
      stop: over,
      abandon: over,
      onStep: tally.add,
      onCaughtUp() {
        entry.state = 'following';
        entry.problem = undefined;
        tally.end();
      },
      onLost: ({ message }) => {
        entry.problem = message;
      },
    });
  } catch (error) {
    if (signal.aborted) return false;
    markStopped(entry, error);
  } finally {
    ended.abort();
  }
  await tally.save();
  return replaced.signal.aborted;
}
