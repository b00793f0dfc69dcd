import { type FollowFolderParts, followFolder } from './follow-folder.ts';
import { type FollowRemoteParts, followRemote } from './follow-remote.ts';
import { type Followed, markStopped } from './followed.ts';
import { type SyncSiteParts, syncSite } from './sync-site.ts';

export type FollowerParts = FollowFolderParts & SyncSiteParts & FollowRemoteParts;

/** Starts to follow a source, until its `stop` or `closing` is aborted. */
export type Follow = (entry: Followed) => void;

const followByKind = { folder: followFolder, site: syncSite, remote: followRemote } as const;

export function createFollower(parts: FollowerParts, closing: AbortSignal): Follow {
  return (entry) => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing]);
    entry.stop = stop;
    entry.state = 'syncing';
    entry.problem = undefined;
    entry.isBeingFollowed = true;
    entry.over = followByKind[entry.source.location.kind](entry, parts, signal)
      .catch((error: unknown) => {
        markStopped(entry, error);
        parts.report('A followed source ended unexpectedly.', error);
      })
      .finally(() => {
        entry.isBeingFollowed = false;
      });
  };
}
