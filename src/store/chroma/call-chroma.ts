import type { ChromaClient } from 'chromadb';
import { callWithTimeout, type TimeLimit } from './call-with-timeout.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { retryWhenBusy } from './retry-when-busy.ts';

export interface CallRetryLimits extends TimeLimit {
  /** How long calls are retried while a remote server is busy. */
  readonly maxWaitMs?: number;
}

const MAX_WAIT_MS = 60_000;

/** Calls Chroma with a time limit, and retries while a remote server reports that it is busy. */
export function callChroma<T>(
  connection: ChromaConnection,
  question: (client: ChromaClient) => Promise<T>,
  { maxWaitMs = MAX_WAIT_MS, ...limit }: CallRetryLimits = {},
): Promise<T> {
  const call = () => callWithTimeout(connection, question, limit);
  if (connection.isOurs) return call();
  const signal = limit.signal ? AbortSignal.any([connection.closed, limit.signal]) : connection.closed;
  return retryWhenBusy(call, { maxWaitMs, signal });
}
