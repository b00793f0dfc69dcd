import type { SharedCounters } from './shared-counters.ts';

export const sharedTopics = ['documents', 'ingestion_tasks', 'followed_sources', 'prompts', 'vector_spaces'] as const;

/** What another server has changed, or asks for. */
export interface SharedChange {
  readonly topic: (typeof sharedTopics)[number];
  /**
   * Of documents `published`, `changed` or `removed`, of tasks `queued` or `cancelled` while in work, of followed sources
   * `changed`, or `sync` and `taken_up`, which ask the one that follows them for a synchronisation or to go on with what was
   * changed; of others `changed`.
   */
  readonly kind: string;
  /** Absent where it concerns many. */
  readonly id?: string;
}

/** What a process that has the database open is for. */
export type ProcessRole = 'server' | 'worker' | 'mcp' | 'command';

/** A process that has the database open. */
export interface ClusterMember {
  readonly key: number;
  readonly role: ProcessRole;
  /** Its machine and process number. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: Date;
  /** Its last sign of life. */
  readonly seenAt: Date;
  readonly leads: boolean;
  /** Number of documents it works on. */
  readonly tasks: number;
}

/** The servers that share the database with this one. */
export interface OtherServers {
  /** The processes that have the database open, this one included; oldest first. */
  members(): Promise<readonly ClusterMember[]>;
  /** Lets another server lead from now on, as this one is about to stop. */
  resign(): Promise<void>;
  /** Calls the listener when work of a server that has ended is to be done by this one. */
  onTakeOver(listener: () => void): void;
  /** Calls the listener a moment after another server has committed a change. */
  onChange(listener: (change: SharedChange) => void): void;
  /** Tells the other servers of what no change of the records tells. */
  announce(change: SharedChange): Promise<void>;
  /** Whether this is the server that does what one does for all, such as learning from the corpus. */
  leads(): boolean;
  /**
   * Calls `begun` each time this server becomes the one that leads, at once if it does, and `ended` when another one may
   * lead instead.
   */
  onLead(begun: () => void, ended: () => void): void;
  readonly counters: SharedCounters;
  /** Does work of one name in turn with other servers; on one server it must be in turn already. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
}
