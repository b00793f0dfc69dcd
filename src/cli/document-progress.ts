import { setTimeout as sleep } from 'node:timers/promises';

/** How far the ingestion of a document is. */
export interface DocumentProgress {
  /** "reading", "embedding", … */
  readonly stage: string;
  /** Passages, where they are counted. */
  readonly done?: number;
  readonly total?: number;
}

interface SentEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Most documents are done before. */
const LOOK_EVERY_MS = 2_000;

const STAGES: ReadonlyMap<string, string> = new Map([
  ['parsing', 'reading'],
  ['augmenting', 'writing contexts for'],
  ['embedding', 'embedding'],
  ['storing', 'storing'],
]);

/**
 * Tells how far a document is that takes long, until the signal aborts. `follow` opens the events of its ingestion, which
 * end at once, or fail, while the document is not accepted yet.
 */
export async function watchDocument(
  follow: () => AsyncIterable<SentEvent>,
  tell: (progress: DocumentProgress) => void,
  until: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<void> {
  while (!until.aborted) {
    await sleep(lookEveryMs, undefined, { signal: until }).catch(() => undefined);
    if (until.aborted) return;
    try {
      for await (const { event, data } of follow()) {
        if (until.aborted) return;
        const progress = event === 'status' || event === 'progress' ? progressOf(data) : undefined;
        if (progress !== undefined) tell(progress);
      }
    } catch {
      // Not accepted yet, or the server is away: the upload itself tells of failures.
    }
  }
}

function progressOf(data: unknown): DocumentProgress | undefined {
  const { ingestion_status: status, done, total } = data as Readonly<Record<string, unknown>>;
  const stage = STAGES.get(String(status));
  if (stage === undefined) return undefined;
  return typeof done === 'number' && typeof total === 'number' ? { stage, done, total } : { stage };
}
