import { ChromaClient } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { toServiceError } from './chroma-failure.ts';
import type { ChromaLog } from './chroma-log.ts';
import { ChromaVectors } from './chroma-vectors.ts';
import { listCollectionNames } from './list-collection-names.ts';

export interface RemoteChromaOptions {
  /** E.g. `http://127.0.0.1:8000`, or `https://api.trychroma.com` for Chroma Cloud. */
  readonly url: string;
  /** Sent as `x-chroma-token`, which Chroma Cloud and Chroma's own token check read. */
  readonly token?: string;
  /** Both are asked for when left out, and found when the token belongs to one database. */
  readonly tenant?: string;
  readonly database?: string;
  /** For a proxy in front of it, e.g. `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps two deployments in one database apart; their keys would collide. */
  readonly prefix?: string;
  readonly log: ChromaLog;
}

/** A vector index in a Chroma that runs elsewhere. Connects at the first call; nothing in it is ever dropped unasked. */
export function createRemoteChroma({ prefix = 'citewell', log, ...options }: RemoteChromaOptions): VectorIndex {
  return new ChromaVectors({ connection: remoteConnection(options), prefix, log });
}

type Address = Omit<RemoteChromaOptions, 'prefix' | 'log'>;

interface Place {
  readonly tenant: string;
  readonly database: string;
}

function remoteConnection(address: Address): ChromaConnection {
  const headers = { ...address.headers, ...(address.token && { 'x-chroma-token': address.token }) };
  const where = `Chroma at ${address.url}`;
  let place: Promise<Place> | undefined;
  const findPlace = (): Promise<Place> => {
    place ??= resolvePlace(address, clientFor(address, headers), where);
    place.catch(() => {
      place = undefined;
    });
    return place;
  };
  let shared: ChromaClient | undefined;
  return {
    where,
    isOurs: false,
    async client(signal) {
      const found = await findPlace();
      if (signal) return clientFor(address, headers, { ...found, signal });
      shared ??= clientFor(address, headers, found);
      return shared;
    },
    isUp: () => true,
    collectionNames: async () => listCollectionNames({ url: address.url, headers, ...(await findPlace()) }),
    onComeback: () => undefined,
    empty: async () => {
      throw new ServiceError('store_failed', `${where} is not ours to empty.`);
    },
    close: async () => undefined,
  };
}

async function resolvePlace({ tenant, database }: Address, client: ChromaClient, where: string): Promise<Place> {
  if (tenant !== undefined && database !== undefined) return { tenant, database };
  try {
    const identity = await client.getUserIdentity();
    const choices = [...new Set(identity.databases)];
    const [only] = choices;
    const found = database ?? (choices.length === 1 && only !== '*' ? only : undefined);
    if (found !== undefined) return { tenant: tenant ?? identity.tenant, database: found };
    const known = choices.filter((name) => name !== '*');
    throw new ServiceError(
      'not_configured',
      `Name the database of ${where} with CHROMA_DATABASE${known.length > 0 ? `: one of ${known.join(', ')}` : ''}.`,
    );
  } catch (error) {
    throw toServiceError(error, where);
  }
}

function clientFor(
  { url }: Address,
  headers: Readonly<Record<string, string>>,
  more: Partial<Place> & { readonly signal?: AbortSignal } = {},
): ChromaClient {
  const { protocol, hostname, port } = new URL(url);
  const ssl = protocol === 'https:';
  const { signal, ...place } = more;
  return new ChromaClient({
    host: hostname,
    port: port === '' ? (ssl ? 443 : 80) : Number(port),
    ssl,
    headers: { ...headers },
    ...place,
    ...(signal && { fetchOptions: { signal } }),
  });
}
