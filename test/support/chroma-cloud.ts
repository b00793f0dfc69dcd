import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { z } from 'zod';

/** Documented limits of Chroma Cloud; options of `startChromaCloud` override them. */
const DEFAULTS = {
  results: 300,
  records: 300,
  reads: 10,
  writes: 10,
  predicates: 8,
  dimensions: 4_096,
  nameBytes: 128,
  metadataKeys: 32,
  metadataKeyBytes: 36,
  metadataValueBytes: 4_096,
};

export type CloudLimits = typeof DEFAULTS;

export interface ChromaCloud {
  readonly url: string;
  readonly limits: CloudLimits;
  /** Error messages of refused calls. */
  readonly refused: string[];
  /** Forwarded calls with their size, e.g. `upsert 300` and `query 260`. */
  readonly calls: string[];
  /** Highest number of concurrent calls to one collection. */
  readonly most: { read: number; write: number };
  /** Queued error responses, returned to the next calls on a collection in place of Chroma's. */
  readonly failures: { readonly status: number; readonly headers?: OutgoingHttpHeaders; readonly message: string }[];
  /** Incoming calls wait until this resolves. */
  hold: Promise<void> | undefined;
  close(): void;
}

const body = z
  .looseObject({
    ids: z.array(z.string()).nullish(),
    limit: z.number().nullish(),
    n_results: z.number().nullish(),
    where: z.unknown().optional(),
    name: z.string().optional(),
    metadatas: z.array(z.record(z.string(), z.unknown()).nullable()).nullish(),
    embeddings: z.array(z.unknown()).nullish(),
    query_embeddings: z.array(z.array(z.number())).nullish(),
  })
  .readonly();

type Body = z.output<typeof body>;

const READS: readonly string[] = ['get', 'query', 'count'];
const WRITES: readonly string[] = ['upsert', 'delete', 'update', 'add'];
const CONCURRENCY_STATUS = 429;
const QUOTA_STATUS = 422;

interface StartOptions extends Partial<CloudLimits> {
  /** Calls without this key are refused. */
  readonly apiKey?: string;
}

/**
 * A proxy that enforces the quotas of Chroma Cloud in front of a real Chroma. Like the cloud it declares a larger batch
 * size than it accepts, truncates reads without a limit, and answers 422 to oversized and 429 to too many concurrent
 * calls.
 */
export async function startChromaCloud(
  target: string,
  { apiKey, ...changed }: StartOptions = {},
): Promise<ChromaCloud> {
  const limits = { ...DEFAULTS, ...changed };
  const running = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const bytes = request.method === 'GET' ? null : new Uint8Array(Buffer.concat(await request.toArray()));
    if (apiKey !== undefined && request.headers['x-chroma-token'] !== apiKey) {
      return refuse(response, 401, 'Unauthorized');
    }
    const [, collection, action = ''] = /\/collections\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    const read = bytes === null ? {} : body.parse(JSON.parse(Buffer.from(bytes).toString()));
    const failure = collection === undefined ? undefined : cloud.failures.shift();
    if (failure !== undefined) return refuse(response, failure.status, failure.message, failure.headers);
    const excess = exceeded(action === '' && read.name !== undefined ? 'create_collection' : action, read, limits);
    if (excess !== undefined) {
      cloud.refused.push(excess);
      return refuse(response, QUOTA_STATUS, excess);
    }
    if (collection === undefined) return forward(request, response, bytes);
    const kind = READS.includes(action) ? ('read' as const) : ('write' as const);
    const key = `${kind} ${collection}`;
    const count = (running.get(key) ?? 0) + 1;
    if (count > limits[`${kind}s`]) {
      cloud.refused.push(`concurrent ${kind}s`);
      return refuse(response, CONCURRENCY_STATUS, 'Too many requests; backoff and try again');
    }
    running.set(key, count);
    cloud.most[kind] = Math.max(cloud.most[kind], count);
    try {
      await cloud.hold;
      const size = read.ids?.length ?? read.n_results ?? read.limit ?? 0;
      cloud.calls.push(`${action} ${size}`);
      const isUnlimited = action === 'get' && read.limit == null;
      await forward(
        request,
        response,
        isUnlimited ? Buffer.from(JSON.stringify({ ...read, limit: limits.results })) : bytes,
      );
    } finally {
      running.set(key, (running.get(key) ?? 1) - 1);
    }
  };

  const forward = async (request: IncomingMessage, response: ServerResponse, bytes: Uint8Array | null) => {
    const isDeclaration = request.url?.endsWith('/pre-flight-checks') === true;
    const forwarded = await fetch(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      body: bytes === null || bytes.length === 0 ? null : new Uint8Array(bytes),
      headers: { 'content-type': 'application/json' },
    });
    const text = await forwarded.text();
    const declared = isDeclaration ? JSON.stringify({ ...JSON.parse(text), max_batch_size: 1000 }) : text;
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(declared);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It should have a port.');
  const cloud: ChromaCloud = {
    url: `http://127.0.0.1:${address.port}`,
    limits,
    refused: [],
    calls: [],
    most: { read: 0, write: 0 },
    failures: [],
    hold: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return cloud;
}

function refuse(response: ServerResponse, status: number, message: string, headers: OutgoingHttpHeaders = {}): void {
  const text = JSON.stringify({ error: 'ChromaError', message });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function exceeded(action: string, read: Body, limits: CloudLimits): string | undefined {
  const metadata = (read.metadatas ?? []).flatMap((one) => Object.entries(one ?? {}));
  const checks: readonly (readonly [name: string, usage: number, limit: number])[] = [
    ['Number of records', WRITES.includes(action) ? (read.ids?.length ?? 0) : 0, limits.records],
    ['Limit value', action === 'get' ? (read.limit ?? 0) : 0, limits.results],
    ['Number of results', action === 'query' ? (read.n_results ?? 0) : 0, limits.results],
    ['Number of where clause predicates', countPredicates(read.where), limits.predicates],
    ['Embedding dimension', dimensionsOf(read), limits.dimensions],
    ['Name size (bytes)', Buffer.byteLength(read.name ?? ''), limits.nameBytes],
    [
      'Number of metadata dictionary keys',
      Math.max(0, ...(read.metadatas ?? []).map((one) => Object.keys(one ?? {}).length)),
      limits.metadataKeys,
    ],
    [
      'Size of metadata dictionary key (bytes)',
      Math.max(0, ...metadata.map(([key]) => Buffer.byteLength(key))),
      limits.metadataKeyBytes,
    ],
    [
      'Size of metadata dictionary value (bytes)',
      Math.max(0, ...metadata.map(([, value]) => (typeof value === 'string' ? Buffer.byteLength(value) : 8))),
      limits.metadataValueBytes,
    ],
  ];
  const found = checks.find(([, usage, limit]) => usage > limit);
  if (found === undefined) return undefined;
  const [name, usage, limit] = found;
  const title = action.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `Quota exceeded: '${name}' exceeded quota limit for action '${title}': current usage of ${usage} exceeds limit of ${limit}`;
}

/** Counts the leaves of the expression; an `$in` counts once, whatever the number of its values. */
function countPredicates(where: unknown): number {
  if (typeof where !== 'object' || where === null) return 0;
  return Object.entries(where).reduce((sum, [key, value]) => {
    const isGroup = (key === '$and' || key === '$or') && Array.isArray(value);
    return sum + (isGroup ? value.reduce((inner: number, one) => inner + countPredicates(one), 0) : 1);
  }, 0);
}

function dimensionsOf({ embeddings, query_embeddings: queries }: Body): number {
  const first = embeddings?.[0] ?? queries?.[0];
  if (typeof first === 'string') return Buffer.from(first, 'base64').length / 4;
  return Array.isArray(first) ? first.length : 0;
}
