import { randomUUID } from 'node:crypto';
import { Condition } from '../shared/condition.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { IngestEvent } from './ingestor.ts';

/** Events of one submission of a document in this process. */
export interface IngestionLog {
  /** Distinguishes its events from those of another process. */
  readonly id: string;
  readonly events: readonly IngestEvent[];
  /** Resolves at the next event. */
  changed(): Promise<void>;
}

/** Keeps the events of ingestions, so that clients can follow one late, disconnect and resume. */
export interface IngestionFeed {
  publish(submission: Submitted, event: IngestEvent): void;
  of(submission: Submitted): IngestionLog;
}

interface Submitted {
  readonly documentId: string;
  readonly attempt: number;
}

/** Maximum number of logs; the least recently used are discarded first. */
const MAX_LOGS = 2_000;
/** Maximum number of events per log; old progress events are discarded. */
const MAX_EVENTS = 5_000;

export function createIngestionFeed(): IngestionFeed {
  const logs = new LruMap<string, Log>({ max: MAX_LOGS });
  const logOf = ({ documentId, attempt }: Submitted): Log =>
    logs.getOrCreate(`${documentId} ${attempt}`, () => new Log());
  return {
    publish: (submission, event) => logOf(submission).add(event),
    of: logOf,
  };
}

class Log implements IngestionLog {
  readonly id = randomUUID();
  readonly events: IngestEvent[] = [];
  readonly #added = new Condition();

  add(event: IngestEvent): void {
    if (event.type === 'progress' && this.events.length >= MAX_EVENTS) return;
    this.events.push(event);
    this.#added.notify();
  }

  changed(): Promise<void> {
    return this.#added.next;
  }
}
