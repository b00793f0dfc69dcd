import { randomUUID } from 'node:crypto';
import type { IngestEvent } from './ingestor.ts';

/** What happened to one submission of a document, as far as this process knows. */
export interface IngestionLog {
  /** Tells its events from those of another process. */
  readonly id: string;
  readonly events: readonly IngestEvent[];
  /** Resolves at the next event. */
  changed(): Promise<void>;
}

/** Keeps the events of ingestions, so that whoever follows one may come late, leave and come back. */
export interface IngestionFeed {
  tell(submission: Submitted, event: IngestEvent): void;
  of(submission: Submitted): IngestionLog;
}

interface Submitted {
  readonly documentId: string;
  readonly attempt: number;
}

/** Logs kept; of those that nobody adds to any more, the oldest go first. */
const MOST_LOGS = 2_000;
/** Events of one log that are kept; progress that is long past is of no use to anybody. */
const MOST_EVENTS = 5_000;

export function createIngestionFeed(): IngestionFeed {
  const logs = new Map<string, Log>();
  const logOf = ({ documentId, attempt }: Submitted): Log => {
    const name = `${documentId} ${attempt}`;
    const log = logs.get(name) ?? new Log();
    // The ones used last stand last.
    logs.delete(name);
    logs.set(name, log);
    if (logs.size > MOST_LOGS) {
      const [oldest] = logs.keys();
      if (oldest !== undefined) logs.delete(oldest);
    }
    return log;
  };
  return {
    tell: (submission, event) => logOf(submission).add(event),
    of: logOf,
  };
}

class Log implements IngestionLog {
  readonly id = randomUUID();
  readonly events: IngestEvent[] = [];
  #next = Promise.withResolvers<void>();

  add(event: IngestEvent): void {
    if (event.type === 'progress' && this.events.length >= MOST_EVENTS) return;
    this.events.push(event);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  changed(): Promise<void> {
    return this.#next.promise;
  }
}
