import { ServiceError } from '../errors.ts';
import type { ReadableRun, RunParts, RunRecord } from './run.ts';

export interface RunLogSettings {
  /** Milliseconds a run continues without a reader; 0 ends it immediately. */
  readonly graceMs: number;
  /** Milliseconds for which events of ended runs are kept. */
  readonly retentionMs: number;
  /** Maximum number of ended runs kept of one server; the oldest are dropped first. */
  readonly maxRuns: number;
  /** Maximum characters of events of ended runs of one server; the oldest runs are dropped first. */
  readonly maxCharacters: number;
}

export const defaultRunLogSettings: RunLogSettings = {
  graceMs: 5_000,
  retentionMs: 10 * 60_000,
  maxRuns: 500,
  maxCharacters: 64_000_000,
};

export interface StartRun extends Omit<RunParts, 'id' | 'graceMs'> {
  /** Whether the run continues to its end without readers; otherwise it ends after the grace period. */
  readonly isResumable: boolean;
}

/** Runs by id, so that a client can resume a broken stream. */
export interface RunLog {
  start(run: StartRun): Promise<ReadableRun>;
  /** Throws `not_found` alike for unknown, expired and foreign runs. */
  get(id: string, ownerId: string): Promise<ReadableRun>;
  /** Newest first. */
  list(ownerId: string): Promise<readonly RunRecord[]>;
  /** Ends and forgets the runs of a user. */
  removeOfOwner(ownerId: string): Promise<void>;
  /**
   * Waits, at most this long, for the runs of this server that readers on other servers follow. The HTTP server itself
   * waits for the streams that this server sends.
   */
  finish(withinMs: number): Promise<void>;
  /** Cancels all runs of this server and settles when they have ended. */
  close(): Promise<void>;
}

export const graceOf = (isResumable: boolean, { graceMs }: RunLogSettings): number =>
  isResumable ? Number.POSITIVE_INFINITY : graceMs;

export const stopping = (): ServiceError =>
  new ServiceError('cancelled', 'The service is stopping; try again when it is back.');

export function noSuchRun(id: string, { retentionMs }: RunLogSettings): ServiceError {
  const minutes = Math.round(retentionMs / 60_000);
  return new ServiceError(
    'not_found',
    `There is no run ${id}. Runs can be read for ${minutes} minutes after they end; answers of agents remain in their conversations.`,
  );
}
