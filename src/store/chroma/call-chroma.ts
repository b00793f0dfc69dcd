import type { ChromaClient } from 'chromadb';
import { callWithTimeout, type TimeLimit } from './call-with-timeout.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { retryWhenBusy } from './retry-when-busy.ts';

export interface CallPatience extends TimeLimit {
  /** How long a remote server that is busy is asked again. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;

/** Calls Chroma with a time limit, and again while a remote server says that it is busy. */
export function callChroma<T>(
  connection: ChromaConnection,
  question: (client: ChromaClient) => Promise<T>,
  { patienceMs = PATIENCE_MS, ...limit }: CallPatience = {},
): Promise<T> {
  const call = () => callWithTimeout(connection, question, limit);
  if (connection.isOurs) return call();
  const signal = limit.signal ? AbortSignal.any([connection.closed, limit.signal]) : connection.closed;
  return retryWhenBusy(call, { patienceMs, signal });
}
