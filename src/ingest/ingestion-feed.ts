import { randomUUID } from 'node:crypto';
import type { Document } from '../documents/document.ts';
import { Condition } from '../shared/condition.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { IngestEvent } from './ingestor.ts';

export interface PlacedEvent {
  /** Identifies the log and the position in it; following can resume after it. */
  readonly id: string;
  readonly event: IngestEvent;
}

/** Events of one submission of a document. */
export interface IngestionLog {
  /** Events after the one with this id, in order; all events if the id is undefined or belongs to another log. */
  after(id: string | undefined): Promise<readonly PlacedEvent[]>;
  /** Resolves at the next event; may reject when the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /** Resolves when all events that led to the current state of the records can be read. */
  settled(): Promise<void>;
}

/** Keeps the events of ingestions, so that clients can join late, disconnect and resume. */
export interface IngestionFeed {
  publish(submission: Submitted, event: IngestEvent): void;
  /** The log of the document's latest submission. */
  logFor(document: Document): IngestionLog;
  close(): Promise<void>;
}

export interface Submitted {
  readonly documentId: string;
  readonly attempt: number;
}

export const feedLimits = {
  /** Maximum number of logs; the least recently used are discarded first. */
  logs: 2_000,
  /** Maximum number of events per log; later `progress` events are discarded. */
  events: 5_000,
} as const;

/** A feed that keeps the events of this process in memory. */
export function createIngestionFeed(): IngestionFeed {
  const logs = new LruMap<string, Log>({ max: feedLimits.logs });
  const logOf = ({ documentId, attempt }: Submitted): Log =>
    logs.getOrCreate(`${documentId} ${attempt}`, () => new Log());
  return {
    publish: (submission, event) => logOf(submission).add(event),
    logFor: ({ id, ingestionAttempt }) => logOf({ documentId: id, attempt: ingestionAttempt }),
    close: async () => {},
  };
}

class Log implements IngestionLog {
  readonly #id = randomUUID();
  readonly #events: PlacedEvent[] = [];
  readonly #added = new Condition();

  add(event: IngestEvent): void {
    if (event.type === 'progress' && this.#events.length >= feedLimits.events) return;
    this.#events.push({ id: `${this.#id}:${this.#events.length + 1}`, event });
    this.#added.notify();
  }

  async after(id: string | undefined): Promise<readonly PlacedEvent[]> {
    const place = placeOf(id);
    return this.#events.slice(place?.logId === this.#id ? place.number : 0);
  }

  changed(): Promise<void> {
    return this.#added.next;
  }

  async settled(): Promise<void> {}
}

/** Parses the id of an event; undefined if it is malformed. */
export function placeOf(id: string | undefined): { readonly logId: string; readonly number: number } | undefined {
  const [logId, digits = ''] = id?.split(':') ?? [];
  return logId !== undefined && /^\d{1,9}$/.test(digits) ? { logId, number: Number(digits) } : undefined;
}
