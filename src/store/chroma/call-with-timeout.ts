import { setTimeout as sleep } from 'node:timers/promises';
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
  const endings = [late.signal, connection.closed, ...(signal ? [signal] : [])];
  const client = await connection.client(AbortSignal.any(endings));
  const answered = new AbortController();
  const begun = performance.now();
  void watch(connection, { answered: answered.signal, limitMs, end: () => late.abort() });
  try {
    return await question(client);
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted) throw error;
    connection.suspect();
    const seconds = Math.round((performance.now() - begun) / 1000);
    throw new ServiceError(
      'store_failed',
      `The vector index does not answer: ${connection.where} was silent for ${seconds} s.`,
      {
        cause: error,
        retryAfter: 5,
      },
    );
  } finally {
    answered.abort();
  }
}

interface Watching {
  readonly answered: AbortSignal;
  readonly limitMs: number;
  end(): void;
}

async function watch(connection: ChromaConnection, { answered, limitMs, end }: Watching): Promise<void> {
  const begun = performance.now();
  while (!answered.aborted) {
    const left = begun + limitMs - performance.now();
    await sleep(Math.min(SILENCE_MS, Math.max(0, left)), undefined, { ref: false, signal: answered }).catch(() => {});
    if (answered.aborted) return;
    if (left > SILENCE_MS && (await connection.answers(answered))) continue;
    if (!answered.aborted) end();
    return;
  }
}
