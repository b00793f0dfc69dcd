/** What servers on one database tell each other about work in progress: none of it is part of the records. */
export interface SharedState {
  readonly runs: SharedRuns;
  readonly files: SharedFiles;
  readonly ingestions: SharedIngestions;
  readonly citations: SharedCitations;
}

/** A source with the number that a client was told. */
export interface NumberedSource {
  readonly number: number;
  /** Identity of the source. */
  readonly key: string;
  /** Its place; null for sources outside the corpus. */
  readonly json: string | null;
}

/** Numbers of sources by session, which calls on several servers give. */
export interface SharedCitations {
  /** What is numbered, and the first of so many numbers that nobody else gives until they are kept or freed. */
  open(
    session: string,
    count: number,
  ): Promise<{ readonly numbered: readonly NumberedSource[]; readonly first: number }>;
  /** Keeps the numbers that were given, from `first` on, and frees the rest of the `count`. */
  keep(
    session: string,
    given: {
      readonly first: number;
      readonly count: number;
      readonly numbered: readonly NumberedSource[];
      readonly maxSources: number;
    },
  ): Promise<void>;
  /** Removes sessions that were not used for that time. */
  trim(retentionMs: number): Promise<void>;
}

export interface SharedRun {
  readonly id: string;
  readonly ownerId: string;
  readonly kind: string;
  readonly conversationId: string | null;
  readonly state: SharedRunState;
  /** Whether somebody asked for its end. */
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
  /** Its last event, should this server end without a word. */
  readonly lost: SharedRunEvent;
}

/** What a run has come to since the last time. */
export interface RunProgress {
  readonly id: string;
  /** Number of the first of these events, from 1. */
  readonly first: number;
  readonly events: readonly SharedRunEvent[];
  /** `running` until these events are the last. */
  readonly state: SharedRunState;
}

/** What other servers want of a run of this one. */
export interface RunWish {
  readonly isCancelled: boolean;
  /** Number of events that a reader there has taken; undefined when there is none. */
  readonly readTo: number | undefined;
}

export interface RunLimits {
  readonly retentionMs: number;
  /** Ended runs of one server, and characters of their events. */
  readonly maxRuns: number;
  readonly maxCharacters: number;
}

/** Runs of all servers. Those of a server that ends without a word fail with their `lost` event. */
export interface SharedRuns {
  /** Begins a run of this server. */
  insert(run: NewSharedRun): Promise<void>;
  /** Writes events of this server's runs, all or none; can be repeated. Returns the runs that still are its own and running. */
  write(progress: readonly RunProgress[]): Promise<ReadonlySet<string>>;
  /** Of the running runs of this server, by id. */
  wishes(): Promise<ReadonlyMap<string, RunWish>>;
  get(id: string): Promise<SharedRun | undefined>;
  /** Newest first. */
  list(ownerId: string): Promise<readonly SharedRun[]>;
  /** Some of the events after a number, in order; empty when there are none yet. */
  events(id: string, after: number): Promise<readonly (SharedRunEvent & { readonly number: number })[]>;
  /** A text for each run that changes with its events and its state. */
  versions(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Says how far readers on this server have come; it counts for three seconds. */
  announceReaders(places: ReadonlyMap<string, number>): Promise<void>;
  /** Asks the server of the run to cancel it. */
  cancel(id: string): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  removeOfOwner(ownerId: string): Promise<void>;
  /** Removes expired runs of all servers, and those of this one that are too many. */
  trim(limits: RunLimits): Promise<void>;
}

export interface SharedFile {
  readonly name: string;
  readonly mediaType: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly contentHash: string;
  readonly bytes: Uint8Array;
}

/** Files that tools made, under the id of a run of tools. */
export interface SharedFiles {
  insert(ownerId: string, id: string, files: readonly SharedFile[]): Promise<void>;
  get(ownerId: string, id: string, name: string, retentionMs: number): Promise<SharedFile | undefined>;
  removeOfOwner(ownerId: string): Promise<void>;
  /** Removes expired files of all servers, and the oldest of this one above `maxBytes`, but not its newest. */
  trim(limits: { readonly retentionMs: number; readonly maxBytes: number }): Promise<void>;
}

/** A submission of a document. */
export interface SubmissionKey {
  readonly documentId: string;
  readonly attempt: number;
}

export interface SharedIngestionLog {
  /** Distinguishes its events from those of a log that was removed; undefined before its first event. */
  readonly id: string | undefined;
  /** Events in order, as they were appended. */
  readonly events: readonly { readonly number: number; readonly json: string }[];
}

/** Events of ingestions on all servers. */
export interface SharedIngestions {
  append(events: readonly (SubmissionKey & { readonly json: string })[]): Promise<void>;
  /** Some of the events after a number of this log, or from the beginning when it is another one. */
  read(
    submission: SubmissionKey,
    after?: { readonly id: string; readonly number: number },
  ): Promise<SharedIngestionLog>;
  /** A text for each log that changes with its events. */
  versions(submissions: readonly SubmissionKey[]): Promise<readonly (string | undefined)[]>;
  /** Removes the logs without an event for that time, and the oldest above that number. */
  trim(limits: { readonly retentionMs: number; readonly maxLogs: number }): Promise<void>;
}
