/** State about work in progress that servers on one database share. None of it is part of the records. */
export interface SharedState {
  readonly runs: SharedRuns;
  readonly files: SharedFiles;
  readonly ingestions: SharedIngestions;
  readonly citations: SharedCitations;
}

/** A source and the citation number under which a client knows it. */
export interface NumberedSource {
  readonly number: number;
  /** Identity of the source. */
  readonly key: string;
  /** Its location in the corpus as JSON; null for sources outside the corpus. */
  readonly json: string | null;
}

/** Citation numbers of sources per session, assigned by calls that may run on different servers. */
export interface SharedCitations {
  /** Returns the numbered sources and reserves `count` numbers, starting at `first`, for this caller. */
  open(
    session: string,
    count: number,
  ): Promise<{ readonly numbered: readonly NumberedSource[]; readonly first: number }>;
  /** Stores the numbers that were assigned, from `first` on, and frees the rest of the reservation if possible. */
  keep(
    session: string,
    given: {
      readonly first: number;
      readonly count: number;
      readonly numbered: readonly NumberedSource[];
      readonly maxSources: number;
    },
  ): Promise<void>;
  /** Removes sessions that have not been used for `retentionMs`. */
  trim(retentionMs: number): Promise<void>;
}

export interface SharedRun {
  readonly id: string;
  readonly ownerId: string;
  readonly kind: string;
  readonly conversationId: string | null;
  readonly state: SharedRunState;
  /** Whether cancellation was requested. */
  readonly isCancelled: boolean;
  /** Number of events written. */
  readonly events: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export type SharedRunState = 'running' | 'ended' | 'failed' | 'cancelled';

export interface SharedRunEvent {
  readonly event: string;
  /** One line of JSON. */
  readonly json: string;
}

export interface NewSharedRun extends Pick<SharedRun, 'id' | 'ownerId' | 'kind' | 'conversationId'> {
  /** The final event to record if this server dies during the run. */
  readonly lost: SharedRunEvent;
}

/** New events and state of a run since the last write. */
export interface RunProgress {
  readonly id: string;
  /** Number of the first of these events, counted from 1. */
  readonly first: number;
  readonly events: readonly SharedRunEvent[];
  /** `running` unless these events are the last. */
  readonly state: SharedRunState;
}

/** What other servers request of a run on this one. */
export interface RunRequest {
  readonly isCancelled: boolean;
  /** Number of events that a reader on another server has consumed; undefined if there is no reader. */
  readonly readTo: number | undefined;
}

export interface RunLimits {
  readonly retentionMs: number;
  /** Maximum number of ended runs per server; `maxCharacters` limits the total length of their events. */
  readonly maxRuns: number;
  readonly maxCharacters: number;
}

/** Runs of all servers. If a server dies, its runs fail with their `lost` event. */
export interface SharedRuns {
  /** Registers a run of this server. */
  insert(run: NewSharedRun): Promise<void>;
  /**
   * Writes events of this server's runs, atomically and idempotently. Returns the ids of those runs that still belong
   * to this server and are running.
   */
  write(progress: readonly RunProgress[]): Promise<ReadonlySet<string>>;
  /** Requests for this server's running runs, by id. */
  requests(): Promise<ReadonlyMap<string, RunRequest>>;
  get(id: string): Promise<SharedRun | undefined>;
  /** Newest first. */
  list(ownerId: string): Promise<readonly SharedRun[]>;
  /** The next events after number `after`, in order, in limited batches; empty when there are none yet. */
  events(id: string, after: number): Promise<readonly (SharedRunEvent & { readonly number: number })[]>;
  /** An opaque version of each run, which changes whenever its events or state do. */
  versions(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Announces how many events readers on this server have consumed, by run id; valid for three seconds. */
  announceReaders(places: ReadonlyMap<string, number>): Promise<void>;
  /** Asks the server of the run to cancel it. */
  cancel(id: string): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  removeOfOwner(ownerId: string): Promise<void>;
  /** Removes expired runs of all servers, and runs of this server above the limits. */
  trim(limits: RunLimits): Promise<void>;
}

export interface SharedFile {
  readonly name: string;
  readonly mediaType: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly contentHash: string;
  readonly bytes: Uint8Array;
}

/** Files created by tools, stored under the id of the tool run. */
export interface SharedFiles {
  insert(ownerId: string, id: string, files: readonly SharedFile[]): Promise<void>;
  get(ownerId: string, id: string, name: string, retentionMs: number): Promise<SharedFile | undefined>;
  removeOfOwner(ownerId: string): Promise<void>;
  /** Removes expired files of all servers, and the oldest of this server above `maxBytes`, but never its newest. */
  trim(limits: { readonly retentionMs: number; readonly maxBytes: number }): Promise<void>;
}

/** A submission of a document. */
export interface SubmissionKey {
  readonly documentId: string;
  readonly attempt: number;
}

export interface SharedIngestionLog {
  /** Distinguishes this log from an earlier one that was removed; undefined before the first event. */
  readonly id: string | undefined;
  /** Events in the order in which they were appended. */
  readonly events: readonly { readonly number: number; readonly json: string }[];
}

/** Events of ingestions on all servers. */
export interface SharedIngestions {
  append(events: readonly (SubmissionKey & { readonly json: string })[]): Promise<void>;
  /** The next events after `after.number`, in limited batches; from the beginning if `after.id` names another log. */
  read(
    submission: SubmissionKey,
    after?: { readonly id: string; readonly number: number },
  ): Promise<SharedIngestionLog>;
  /** An opaque version of each log, which changes with its events; undefined if there is no log. */
  versions(submissions: readonly SubmissionKey[]): Promise<readonly (string | undefined)[]>;
  /** Removes logs without an event for `retentionMs`, and the oldest ones above `maxLogs`. */
  trim(limits: { readonly retentionMs: number; readonly maxLogs: number }): Promise<void>;
}
