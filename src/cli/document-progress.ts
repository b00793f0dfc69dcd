import { setTimeout as sleep } from 'node:timers/promises';

/** Ingestion progress of one document. */
export interface DocumentProgress {
  /** "reading", "embedding", … */
  readonly stage: string;
  /** Number of passages done; undefined in stages that do not count them. */
  readonly done?: number;
  readonly total?: number;
}

interface SentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Interval between two polls; most documents are done before the first one. */
const POLL_INTERVAL_MS = 2_000;

const STAGES: ReadonlyMap<string, string> = new Map([
  ['parsing', 'reading'],
  ['augmenting', 'writing contexts for'],
  ['embedding', 'embedding'],
  ['storing', 'storing'],
]);

/**
 * Reports the progress of a document that takes long, until the signal aborts. `follow` opens the event stream of its
 * ingestion, which ends immediately or fails until the document has been accepted.
 */
export async function watchDocument(
  follow: () => AsyncIterable<SentEvent>,
  report: (progress: DocumentProgress) => void,
  until: AbortSignal,
  pollIntervalMs = POLL_INTERVAL_MS,
): Promise<void> {
  while (!until.aborted) {
    await sleep(pollIntervalMs, undefined, { signal: until }).catch(() => undefined);
    if (until.aborted) return;
    try {
      for await (const { event, data } of follow()) {
        if (until.aborted) return;
        const progress = event === 'status' || event === 'progress' ? progressOf(data) : undefined;
        if (progress !== undefined) report(progress);
      }
    } catch {
      // Not accepted yet, or the server is unreachable. The upload itself reports failures.
    }
  }
}

function progressOf(data: unknown): DocumentProgress | undefined {
  const { ingestion_status: status, done, total } = data as Readonly<Record<string, unknown>>;
  const stage = STAGES.get(String(status));
  if (stage === undefined) return undefined;
  return typeof done === 'number' && typeof total === 'number' ? { stage, done, total } : { stage };
}
