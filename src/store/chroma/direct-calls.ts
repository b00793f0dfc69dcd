import { Agent, request } from 'node:http';
import { onAbort } from '../../shared/abort.ts';
import type { VectorHit, VectorRecord } from '../vector-index.ts';
import { vectorJson } from './vector-json.ts';

export interface DirectQuestion {
  /** The collection's identifier in Chroma. */
  readonly collection: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

export interface DirectWrite {
  readonly collection: string;
  readonly records: readonly VectorRecord[];
}

/** Calls to a server that bypass Chroma's client. They reject when one of the signals aborts. */
export interface DirectCalls {
  /**
   * `database` is the URL of the database on the server. Undefined if the server gave no result; repeating the query
   * through Chroma's client reveals the reason.
   */
  query(database: string, question: DirectQuestion, endings: readonly AbortSignal[]): Promise<VectorHit[] | undefined>;
  /**
   * Writes vectors, without access scopes, to a server that accepts base64. False if the server did not confirm the write; the
   * caller then repeats it through Chroma's client.
   */
  upsert(database: string, write: DirectWrite, endings: readonly AbortSignal[]): Promise<boolean>;
  close(): void;
}

/** Far above the size of any valid result. */
const MAX_ANSWER_BYTES = 64_000_000;

/**
 * Calls through Node's HTTP client over keep-alive connections. Chroma's client uses `fetch`, whose streams and signals
 * take several times the CPU time of the request itself, and encodes base64 byte by byte.
 */
export function createDirectCalls(): DirectCalls {
  const agent = new Agent({ keepAlive: true });
  return {
    async query(database, { collection, vector, limit }, endings) {
      for (const signal of endings) signal.throwIfAborted();
      const body = `{"query_embeddings":[${vectorJson(vector)}],"n_results":${limit},"include":["distances"]}`;
      const answer = await post(agent, { url: `${database}/collections/${collection}/query`, body }, endings);
      return answer === undefined ? undefined : hitsOf(answer);
    },
    async upsert(database, { collection, records }, endings) {
      for (const signal of endings) signal.throwIfAborted();
      const body = JSON.stringify({
        ids: records.map(({ key }) => String(key)),
        embeddings: records.map(({ vector }) => toBase64(vector)),
      });
      const answer = await post(agent, { url: `${database}/collections/${collection}/upsert`, body }, endings);
      return answer !== undefined;
    },
    close: () => agent.destroy(),
  };
}

const toBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

function post(
  agent: Agent,
  { url, body }: { readonly url: string; readonly body: string },
  endings: readonly AbortSignal[],
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
    const parts: Buffer[] = [];
    let size = 0;
    response.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > MAX_ANSWER_BYTES) response.destroy();
    });
    response.on('end', () => resolve(response.statusCode === 200 ? Buffer.concat(parts).toString() : undefined));
    response.on('error', () => resolve(undefined));
    response.on('close', () => resolve(undefined));
  });
  outgoing.on('error', () => resolve(undefined));
  const listeners = endings.map((signal) =>
    onAbort(signal, () => {
      reject(signal.reason);
      outgoing.destroy();
    }),
  );
  outgoing.end(body);
  return promise.finally(() => {
    for (const stopListening of listeners) stopListening();
  });
}

/** Parses the hits of a response; undefined if it has another form. */
function hitsOf(answer: string): VectorHit[] | undefined {
  const { ids, distances } = read(answer);
  const [keys, values] = [firstOf(ids), firstOf(distances)];
  if (keys === undefined || values?.length !== keys.length) return undefined;
  const hits: VectorHit[] = [];
  for (const [place, key] of keys.entries()) {
    const distance = values[place];
    if (typeof key !== 'string' || typeof distance !== 'number') return undefined;
    hits.push({ key: Number(key), distance: Math.max(0, distance) });
  }
  return hits;
}

function read(answer: string): { readonly ids?: unknown; readonly distances?: unknown } {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function firstOf(lists: unknown): readonly unknown[] | undefined {
  const first: unknown = Array.isArray(lists) ? lists[0] : undefined;
  return Array.isArray(first) ? first : undefined;
}
