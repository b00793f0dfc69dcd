import { setTimeout as sleep } from 'node:timers/promises';
import { isChromaError } from './chroma-error.ts';
import { type ResponseHead, watchResponse } from './watch-response.ts';

/** Too many requests, or a server or proxy that temporarily has no capacity. */
const BUSY_STATUS: readonly number[] = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 10_000;

export interface BusyRetryLimits {
  /** No retry begins later than this after the first call. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries a call while the server is busy: after the requested pause (`Retry-After`), or else with exponential backoff
 * and jitter, so that several clients do not return together. Throws the last error when `maxWaitMs` is exhausted.
 */
export async function retryWhenBusy<T>(call: () => Promise<T>, { maxWaitMs, signal }: BusyRetryLimits): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    const head: ResponseHead = {};
    try {
      return await watchResponse(head, call);
    } catch (error) {
      if (!isBusy(error, head) || signal?.aborted) throw error;
      const pause = requestedPause(head.retryAfter) ?? growingPause(attempt);
      if (performance.now() - startedAt + pause > maxWaitMs) throw error;
      await sleep(pause, undefined, { signal, ref: false });
    }
  }
}

const isBusy = (error: unknown, { status }: ResponseHead): boolean =>
  isChromaError(error, 'ChromaRateLimitError') || (status !== undefined && BUSY_STATUS.includes(status));

/** The pause in milliseconds that a `Retry-After` header requests, as seconds or an HTTP date; undefined if invalid. */
export function requestedPause(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function growingPause(attempt: number): number {
  const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return pause * (0.5 + Math.random() / 2);
}
