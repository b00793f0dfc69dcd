import type { ChromaClient } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import type { ChromaConnection } from './chroma-connection.ts';

/** A call that takes longer than this triggers a heartbeat check of the server. */
const SILENCE_MS = 2_000;
/** Loading a large index from disk, or writing it, can keep a server busy while it still answers heartbeats. */
const LIMIT_MS = 120_000;

export interface TimeLimit {
  readonly signal?: AbortSignal | undefined;
  /** Time limit for a server that answers heartbeats but not this call. */
  readonly limitMs?: number;
}

/**
 * Calls Chroma and gives up as soon as the server stops answering heartbeats: a stopped or stuck server keeps
 * connections open for ever. Throws `store_failed` on time-out; aborting `signal` ends the call as well.
 */
export async function callWithTimeout<T>(
  connection: ChromaConnection,
  question: (client: ChromaClient) => Promise<T>,
  { signal, limitMs = LIMIT_MS }: TimeLimit = {},
): Promise<T> {
  const late = new AbortController();
  const client = await connection.client(AbortSignal.any(endingsOf(connection, late, signal)));
  return watched(connection, () => question(client), { late, signal, limitMs });
}

/** Like `callWithTimeout`, for a request that bypasses Chroma's client; it must end when one of the signals aborts. */
export function requestWithTimeout<T>(
  connection: ChromaConnection,
  request: (endings: readonly AbortSignal[]) => Promise<T>,
  { signal, limitMs = LIMIT_MS }: TimeLimit = {},
): Promise<T> {
  const late = new AbortController();
  return watched(connection, () => request(endingsOf(connection, late, signal)), { late, signal, limitMs });
}

const endingsOf = ({ closed }: ChromaConnection, late: AbortController, signal: AbortSignal | undefined) => [
  late.signal,
  closed,
  ...(signal ? [signal] : []),
];

interface Watched {
  /** Aborted to end the call. */
  readonly late: AbortController;
  readonly signal: AbortSignal | undefined;
  readonly limitMs: number;
}

async function watched<T>(
  connection: ChromaConnection,
  call: () => Promise<T>,
  { late, signal, limitMs }: Watched,
): Promise<T> {
  const startedAt = performance.now();
  const stopWatching = watch(connection, limitMs, () => late.abort());
  try {
    return await call();
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted) throw error;
    connection.reportTimeout();
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    throw new ServiceError(
      'store_failed',
      `The vector index does not answer: ${connection.where} was silent for ${seconds} s.`,
      {
        cause: error,
        retryAfter: 5,
      },
    );
  } finally {
    stopWatching();
  }
}

/** Calls `end` if the server does not answer in time; the returned function stops the timer. */
function watch(connection: ChromaConnection, limitMs: number, end: () => void): () => void {
  const startedAt = performance.now();
  let heartbeat: AbortController | undefined;
  let isOver = false;
  let timer = wait();

  function wait(): NodeJS.Timeout {
    const left = startedAt + limitMs - performance.now();
    const check = () => void (left > SILENCE_MS ? askAgain() : endNow());
    return setTimeout(check, Math.min(SILENCE_MS, Math.max(0, left))).unref();
  }
  async function askAgain(): Promise<void> {
    heartbeat = new AbortController();
    const isAlive = await connection.answers(heartbeat.signal);
    if (isOver) return;
    if (isAlive) timer = wait();
    else endNow();
  }
  function endNow(): void {
    isOver = true;
    end();
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
    heartbeat?.abort();
  };
}
