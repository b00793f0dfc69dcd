import type { FailedItem, FollowedSource, SourceLocation } from '../../store/followed-sources.ts';
import type { Followed, SourceState } from './followed.ts';

export interface SourceStatus extends FollowedSource {
  readonly state: SourceState;
  readonly problem?: string;
  /** While it is synchronised: number of files in a folder, or of items of a remote source; absent until they are counted. */
  readonly total?: number;
  /** While a remote source is synchronised: number of items listed so far. */
  readonly listed?: number;
}

/** Items of a source that could not be ingested so far. */
export interface SourceFailures {
  readonly count: number;
  /** The most recently tried items. */
  readonly items: readonly FailedItem[];
}

/** The path, URL or address under which a source is shown. */
export function placeOf(location: SourceLocation): string {
  switch (location.kind) {
    case 'folder':
      return location.path;
    case 'site':
      return location.url;
    case 'remote':
      return location.address;
  }
}

/** The state of a source that another server follows, derived from the report of that server. */
export function stateOnOtherServer({ location, lastSync }: FollowedSource): Pick<SourceStatus, 'state' | 'problem'> {
  if (lastSync?.problem !== undefined) return { state: 'stopped', problem: lastSync.problem };
  if (lastSync === null || lastSync.endedAt === null) return { state: 'syncing' };
  return { state: location.kind === 'folder' ? 'following' : 'idle' };
}

export function statusOf({ source, state, problem, tally }: Followed): SourceStatus {
  const total = tally?.total();
  const listed = tally?.listed();
  return {
    ...source,
    lastSync: tally?.report() ?? source.lastSync,
    state,
    ...(problem !== undefined && { problem }),
    ...(state === 'syncing' && total !== undefined && { total }),
    ...(state === 'syncing' && listed !== undefined && { listed }),
  };
}
