import type { AsyncSubscription } from '@parcel/watcher';
import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import { isWithin } from '../../shared/is-within.ts';

export interface FileEvents {
  close(): Promise<void>;
}

export interface FileEventsParts {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly dataFolder: string;
  /** Something at this path changed or was removed. */
  readonly onPath: (path: string) => void;
  /** Events may have been lost, so everything must be checked. */
  readonly onLost: (cause: unknown) => void;
}

/**
 * Watches a folder for created, changed, moved and removed files. Watches folders rather than files, so that a million
 * files can be watched. Throws `not_configured` when the system's limit of watches is reached.
 */
export async function watchFiles({ root, dataFolder, onPath, onLost }: FileEventsParts): Promise<FileEvents> {
  const { subscribe } = await import('@parcel/watcher').catch((cause: unknown) => {
    throw unavailable(root, 'this system has no file watcher', cause);
  });
  const isInside = dataFolder !== root && isWithin(dataFolder, root);
  let subscription: AsyncSubscription;
  try {
    subscription = await subscribe(
      root,
      (error, events) => {
        if (error !== null) onLost(error);
        for (const { path } of events ?? []) onPath(path);
      },
      { ignore: ['**/node_modules/**', '**/.*', '**/.*/**', ...(isInside ? [dataFolder] : [])] },
    );
  } catch (cause) {
    throw unavailable(root, fileProblem(cause), cause);
  }
  return { close: () => subscription.unsubscribe() };
}

const unavailable = (root: string, reason: string, cause: unknown) =>
  new ServiceError(
    'not_configured',
    `Changes below ${root} cannot be watched: ${reason}. On Linux, fs.inotify.max_user_watches must be above the number of folders.`,
    { cause },
  );
