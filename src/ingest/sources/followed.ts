import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import type { FollowedSource, FollowedSourceRecords } from '../../store/followed-sources.ts';
import { createSyncTally, type SyncTally } from './sync-tally.ts';

/** `stopped`: the source cannot be followed; `problem` says why. */
export type SourceState = 'syncing' | 'following' | 'idle' | 'stopped';

/** A followed source and the state of the work on it in this process. */
export interface Followed {
  source: FollowedSource;
  state: SourceState;
  problem: string | undefined;
  tally: SyncTally | undefined;
  stop: AbortController;
  /** Settles when the current work on the source has ended. */
  over: Promise<void>;
  /** False until the record of the source is written. */
  isStored: boolean;
  isBeingFollowed: boolean;
  /** Whether the next synchronisation is due by schedule, rather than requested. */
  isScheduled: boolean;
}

const SAVE_MS = 2_000;

/** A source on which no work has begun, in the state of its last synchronisation. */
export const newFollowed = (source: FollowedSource): Followed => ({
  source,
  state: source.lastSync === null ? 'syncing' : source.lastSync.problem === undefined ? 'idle' : 'stopped',
  problem: source.lastSync?.problem,
  tally: undefined,
  stop: new AbortController(),
  over: Promise.resolve(),
  isStored: true,
  isBeingFollowed: false,
  isScheduled: false,
});

/** Begins a tally whose report is saved with the source. */
export function startTally(entry: Followed, records: Pick<FollowedSourceRecords, 'saveReport'>): SyncTally {
  const tally = createSyncTally(async (counted) => {
    // Other servers learn of the problem only from this report.
    const lastSync = { ...counted, ...(entry.problem !== undefined && { problem: entry.problem }) };
    entry.source = { ...entry.source, lastSync };
    await records.saveReport(entry.source.id, lastSync);
  }, SAVE_MS);
  entry.tally = tally;
  return tally;
}

/** Records that the source cannot be followed because of this error. */
export function markStopped(entry: Followed, error: unknown): void {
  entry.state = 'stopped';
  entry.problem = problemOf(error, entry.source);
}

const problemOf = (error: unknown, { location: { kind } }: FollowedSource): string =>
  error instanceof ServiceError
    ? error.message
    : `The ${kind === 'remote' ? 'source' : kind} cannot be read: ${fileProblem(error)}.`;
