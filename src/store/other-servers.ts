import type { SharedCounters } from './shared-counters.ts';

export const sharedTopics = ['documents', 'ingestion_tasks', 'followed_sources', 'prompts', 'vector_spaces'] as const;

/** A change committed by another server, or a request from it. */
export interface SharedChange {
  readonly topic: (typeof sharedTopics)[number];
  /**
   * For documents `published`, `changed` or `removed`; for ingestion tasks `queued`, or `cancelled` while running; for
   * followed sources `changed`, or the requests `sync` (synchronise now) and `taken_up` (continue with the changed
   * source) to the server that follows them; for other topics `changed`.
   */
  readonly kind: string;
  /** Absent if many records are concerned. */
  readonly id?: string;
}

/** The purpose of a process that has the database open. */
export type ProcessRole = 'server' | 'worker' | 'mcp' | 'command';

/** A process that has the database open. */
export interface ClusterMember {
  readonly key: number;
  readonly role: ProcessRole;
  /** Its host name and process id. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: Date;
  /** Time of its last heartbeat. */
  readonly seenAt: Date;
  readonly leads: boolean;
  /** Number of documents it is processing. */
  readonly tasks: number;
}

/** The servers that share the database with this one. */
export interface OtherServers {
  /** The processes that have the database open, this one included; oldest first. */
  members(): Promise<readonly ClusterMember[]>;
  /** Gives up leadership because this server is about to stop. */
  resign(): Promise<void>;
  /** Calls the listener when this server must take over work of a server that has ended. */
  onTakeOver(listener: () => void): void;
  /** Calls the listener shortly after another server has committed a change. */
  onChange(listener: (change: SharedChange) => void): void;
  /** Notifies the other servers of something that no change to the records reveals. */
  announce(change: SharedChange): Promise<void>;
  /** Whether this server is the leader, which does work that one server does for all, e.g. learning from the corpus. */
  isLeader(): boolean;
  /**
   * Calls `begun` whenever this server becomes the leader, immediately if it already is, and `ended` when another one
   * may have become the leader.
   */
  onLeadership(begun: () => void, ended: () => void): void;
  readonly counters: SharedCounters;
  /** Serialises work under this name across servers; the caller must already serialise it within this server. */
  runExclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
}
