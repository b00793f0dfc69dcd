import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Document, ingestionStatuses } from '../documents/document.ts';
import { LruMap } from '../shared/lru-map.ts';
import { createThrottledTask } from '../shared/throttled-task.ts';
import { createVersionWatch, type VersionWatch } from '../shared/version-watch.ts';
import type { SharedIngestions, SubmissionKey } from '../store/shared-state.ts';
import { feedLimits, type IngestionFeed, type IngestionLog, type PlacedEvent, placeOf } from './ingestion-feed.ts';
import type { IngestEvent } from './ingestor.ts';

const WRITE_EVERY_MS = 40;
/** Time within which another server has written the events that it has published. */
const SETTLED_AFTER_MS = 3 * WRITE_EVERY_MS;
const POLL_MS = 100;
const TRIM_EVERY_MS = 60_000;
const RETENTION_MS = 60 * 60_000;
const CLOSE_WITHIN_MS = 2_000;
/** Maximum number of events buffered while the database does not respond; later ones are discarded. */
const MAX_WAITING = 20_000;

/** A feed that all servers share through the database, so that any of them can follow an ingestion. */
export function createSharedIngestionFeed(
  ingestions: SharedIngestions,
  report: (message: string, cause: unknown) => void,
): IngestionFeed {
  let waiting: (SubmissionKey & { readonly json: string })[] = [];
  const counts = new LruMap<string, number>({ max: feedLimits.logs });
  const writing = createThrottledTask({
    everyMs: WRITE_EVERY_MS,
    async work() {
      const events = waiting;
      waiting = [];
      try {
        await ingestions.append(events);
      } catch (error) {
        waiting = [...events, ...waiting].slice(0, MAX_WAITING);
        throw error;
      }
    },
    onFailure: (error) => report('The progress of ingestions could not be written.', error),
  });
  const trim = () =>
    void ingestions
      .trim({ retentionMs: RETENTION_MS, maxLogs: feedLimits.logs })
      .catch((error: unknown) => report('The progress of old ingestions could not be removed.', error));
  const trimming = setInterval(trim, TRIM_EVERY_MS).unref();
  const watch = createVersionWatch<SubmissionKey>(POLL_MS, (keys) => ingestions.versions(keys));

  return {
    publish({ documentId, attempt }, event) {
      const key = `${documentId} ${attempt}`;
      const count = counts.get(key) ?? 0;
      if (event.type === 'progress' && (count >= feedLimits.events || waiting.length >= MAX_WAITING)) return;
      counts.set(key, count + 1);
      waiting.push({ documentId, attempt, json: toJson(event) });
      writing.wake();
    },
    logFor: (document) => new SharedLog(ingestions, watch, document),
    async close() {
      clearInterval(trimming);
      await writing.close(CLOSE_WITHIN_MS);
    },
  };
}

class SharedLog implements IngestionLog {
  readonly #ingestions: SharedIngestions;
  readonly #watch: VersionWatch<SubmissionKey>;
  readonly #document: Document;
  readonly #key: SubmissionKey;
  /** Version of the log at the last read. */
  #version: string | undefined;

  constructor(ingestions: SharedIngestions, watch: VersionWatch<SubmissionKey>, document: Document) {
    this.#ingestions = ingestions;
    this.#watch = watch;
    this.#document = document;
    this.#key = { documentId: document.id, attempt: document.ingestionAttempt };
  }

  async after(id: string | undefined): Promise<readonly PlacedEvent[]> {
    const place = placeOf(id);
    const log = await this.#ingestions.read(this.#key, place && { id: place.logId, number: place.number });
    const last = log.events.at(-1)?.number ?? (place?.logId === log.id ? place?.number : 0);
    this.#version = log.id === undefined ? undefined : `${log.id} ${last}`;
    return log.events.map(({ number, json }) => ({
      id: `${log.id}:${number}`,
      event: fromJson(json, this.#document),
    }));
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#watch.changed(this.#key, this.#version, signal);
  }

  async settled(): Promise<void> {
    await sleep(SETTLED_AFTER_MS);
  }
}

/** The stored form of an event, without the document, which its readers already have. */
const written = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), status: z.enum(ingestionStatuses) }),
  z.object({
    type: z.literal('progress'),
    stage: z.enum(['augmenting', 'embedding']),
    done: z.number(),
    total: z.number(),
  }),
  z.object({ type: z.literal('done'), chunkCount: z.number() }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
  z.object({ type: z.literal('postponed'), reason: z.string(), until: z.coerce.date() }),
  z.object({ type: z.literal('cancelled'), reason: z.string() }),
]);

function toJson(event: IngestEvent): string {
  switch (event.type) {
    case 'status':
    case 'progress':
    case 'cancelled':
      return JSON.stringify(event);
    case 'done':
      return JSON.stringify({ type: 'done', chunkCount: event.document.chunkCount });
    case 'failed':
      return JSON.stringify({ type: 'failed', reason: event.error.message });
    case 'postponed':
      return JSON.stringify({ type: 'postponed', reason: event.error.message, until: event.until });
  }
}

function fromJson(json: string, document: Document): IngestEvent {
  const event = written.parse(JSON.parse(json));
  switch (event.type) {
    case 'status':
    case 'progress':
    case 'cancelled':
      return event;
    case 'done':
      return { type: 'done', document: { ...document, ingestionStatus: 'success', chunkCount: event.chunkCount } };
    case 'failed':
      return { type: 'failed', document: { ...document, ingestionStatus: 'failed' }, error: new Error(event.reason) };
    case 'postponed':
      return { type: 'postponed', document, error: new Error(event.reason), until: event.until };
  }
}
