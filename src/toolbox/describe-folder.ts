import type { FollowedFolder } from './tool-ports.ts';

/** One line on the progress of a folder. */
export function describeFolder({ path, state, done, total, failed, reason }: FollowedFolder): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  switch (state) {
    case 'reading':
      return `${path} (${done} of ${total ?? 'its'} files${failures})`;
    case 'following':
      return `${path} (in step, ${done} files${failures}; changes are followed)`;
    case 'stopped':
      return `${path} (not followed: ${reason ?? 'stopped'})`;
  }
}
