import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { FinishProgress } from '../http/routes/finish.ts';
import type { ReindexProgress } from '../store/vector-spaces.ts';
import { type Backlog, type Status, statusFromWire } from './from-wire.ts';
import type { ServerCalls } from './server-calls.ts';
import type { ServerLink } from './server-link.ts';

interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/** The state of the service, its background work and its backups. Methods throw ServiceError. */
export interface ServiceClient {
  status(): Promise<Status>;
  /** Queues failed documents again; returns their number. */
  retryFailed(): Promise<number>;
  /** State of the queue. */
  backlog(): Promise<Backlog>;
  /** Re-embeds everything; returns the name of the embedder then in use. */
  reindex(
    request: { readonly model?: string; readonly back: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<ReindexProgress, string>;
  /** The data folder as a tar archive, slightly larger than `bytes`. Read its content to the end or return it. */
  backup(
    signal: AbortSignal,
    onCopying: (bytes: CopyProgress) => void,
  ): Promise<{ readonly bytes: number; readonly content: AsyncGenerator<Uint8Array, void> }>;
  /** Writes pending summaries, unless a lasting server does. */
  summarise(signal: AbortSignal): AsyncGenerator<FinishProgress, void>;
  /**
   * Trains the embedder from the corpus if that is due, and reports progress. Returns `left` if the training is left to
   * a lasting server, which trains without being asked.
   */
  learn(signal: AbortSignal): AsyncGenerator<ReindexProgress, 'nothing' | 'left'>;
}

/** How long an index that was just opened is waited for, and how often the status is asked for meanwhile. */
const SETTLE_MS = 5_000;
const POLL_INTERVAL_MS = 50;
const COPY_WATCHED_EVERY_MS = 1_000;

/** `isLasting` tells whether the server is a lasting one, whose index need not be waited for. */
export function httpService(
  { call, stream, finish }: ServerCalls,
  { link, isLasting }: { readonly link: Pick<ServerLink, 'download'>; readonly isLasting: boolean },
): ServiceClient {
  const readStatus = async (): Promise<Status> => {
    const { results } = await call('GET', '/system/status');
    return statusFromWire((results as { citewell: unknown }).citewell);
  };

  /** Reports the progress of copying the database, with which a backup begins, until the signal aborts. */
  async function watchCopy(until: AbortSignal, reportCopy: (bytes: CopyProgress) => void): Promise<void> {
    try {
      for (;;) {
        await sleep(COPY_WATCHED_EVERY_MS, undefined, { signal: until });
        const { results } = await call('GET', '/system/backup/progress', { signal: until });
        const { copying } = results as { copying: CopyProgress | null };
        if (copying !== null && !until.aborted) reportCopy(copying);
      }
    } catch {
      // Copying has ended, or the server reports no progress. The backup request itself reports failures.
    }
  }

  return {
    async status() {
      const giveUpAt = performance.now() + SETTLE_MS;
      for (;;) {
        const found = await readStatus();
        // An index that was just opened is worth waiting for.
        if (found.index.state !== 'checking' || isLasting || performance.now() > giveUpAt) return found;
        await sleep(POLL_INTERVAL_MS);
      }
    },

    async retryFailed() {
      const { results } = await call('POST', '/documents/retry-failed?all_owners=true', { isRepeatable: true });
      for await (const _ of finish('queue', new AbortController().signal));
      return (results as { retried: number }).retried;
    },

    async backlog() {
      const { ingestion } = await readStatus();
      if (ingestion !== undefined) return ingestion;
      throw new ServiceError('not_configured', 'The running server is an earlier version. Restart it.');
    },

    async *reindex(request, signal) {
      let embedder = '';
      for await (const { event, data } of stream('/system/reindex', request, signal, !request.back)) {
        if (event === 'progress') yield data as ReindexProgress;
        if (event === 'reindexed') embedder = (data as { embedder: string }).embedder;
      }
      return embedder;
    },

    async backup(signal, onCopying) {
      const copied = new AbortController();
      const watching = watchCopy(copied.signal, onCopying);
      try {
        const { headers, content } = await link.download({ method: 'GET', path: '/system/backup', signal });
        return { bytes: Number(headers['x-backup-bytes']), content };
      } finally {
        copied.abort();
        await watching;
      }
    },

    async *summarise(signal) {
      for await (const { data } of finish('summaries', signal)) yield data;
    },

    async *learn(signal) {
      let outcome: 'nothing' | 'left' = 'nothing';
      for await (const { event, data } of finish('learning', signal)) {
        if (event === 'left') outcome = 'left';
        else yield data;
      }
      return outcome;
    },
  };
}
