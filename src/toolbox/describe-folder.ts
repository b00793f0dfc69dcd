import type { FollowedFolder } from './tool-ports.ts';

/** One line on the progress of a folder. */
export function describeFolder({ path, state, done, total, failed, reason }: FollowedFolder): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  switch (state) {
    case 'reading':
      return `${path} (${done} of ${total ?? 'an unknown number of'} files${failures})`;
    case 'following':
      return `${path} (synchronised, ${done} files${failures}; watching for changes)`;
    case 'stopped':
      return `${path} (not watched: ${reason ?? 'stopped'})`;
  }
}
