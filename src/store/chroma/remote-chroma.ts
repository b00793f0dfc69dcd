import type { ChromaClient } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import type { VectorIndex } from '../vector-index.ts';
import { createCallLimits } from './call-limits.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { toServiceError } from './chroma-failure.ts';
import type { ChromaLog } from './chroma-log.ts';
import { type ChromaQuotas, usualQuotas } from './chroma-quotas.ts';
import { ChromaVectors } from './chroma-vectors.ts';
import { listCollectionNames } from './list-collection-names.ts';
import type { ServerChecks } from './prepared-client.ts';
import { retryWhenBusy } from './retry-when-busy.ts';

export interface RemoteChromaOptions {
  /** E.g. `http://127.0.0.1:8000`, or `https://api.trychroma.com` for Chroma Cloud. */
  readonly url: string;
  /** Sent as `x-chroma-token`, which Chroma Cloud and Chroma's own token authentication read. */
  readonly token?: string;
  /** If omitted, tenant and database are queried from the server; the database only if the token belongs to one. */
  readonly tenant?: string;
  readonly database?: string;
  /** Additional headers, e.g. `authorization` for a reverse proxy. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Quotas of this account, which override the usual ones of its server. */
  readonly quotas?: Partial<ChromaQuotas>;
  /** Prefix of collection names; separates deployments in one database, whose keys would collide. */
  readonly prefix?: string;
  readonly log: ChromaLog;
}

/** A vector index in a remote Chroma. Connects at the first call; never drops anything without being asked to. */
export function createRemoteChroma({ prefix = 'citewell', log, ...options }: RemoteChromaOptions): VectorIndex {
  return new ChromaVectors({ connection: remoteConnection(options), prefix, log });
}

type Address = Omit<RemoteChromaOptions, 'prefix' | 'log'>;

interface Tenancy {
  readonly tenant: string;
  readonly database: string;
}

const ANSWERS_WITHIN_MS = 4_000;
const TENANCY_TIMEOUT_MS = 10_000;
/** How long calls that a start or a command waits for are retried while the server is busy. */
const MAX_WAIT_MS = 20_000;

function remoteConnection(address: Address): ChromaConnection {
  const headers = { ...address.headers, ...(address.token && { 'x-chroma-token': address.token }) };
  const where = `Chroma at ${address.url}`;
  const limits = createCallLimits({ ...usualQuotas(address.url), ...address.quotas });
  let tenancy: Promise<Tenancy> | undefined;
  const findPlace = (): Promise<Tenancy> => {
    tenancy ??= resolveTenancy(
      address,
      () => clientFor(address, headers, { signal: AbortSignal.timeout(TENANCY_TIMEOUT_MS) }),
      where,
    );
    tenancy.catch(() => {
      tenancy = undefined;
    });
    return tenancy;
  };
  let shared: Promise<ChromaClient> | undefined;
  const closing = new AbortController();
  return {
    limits,
    storesScopes: Number.isFinite(limits.quotas().results),
    closed: closing.signal,
    async answers(signal) {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)]);
        await (await clientFor(address, headers, { signal: within })).heartbeat();
        return true;
      } catch {
        return false;
      }
    },
    reportTimeout: () => undefined,
    where,
    isOurs: false,
    async client(signal) {
      const found = await findPlace();
      const checks = limits.checks();
      if (signal) return clientFor(address, headers, { ...found, checks, signal });
      shared ??= clientFor(address, headers, { ...found, checks });
      return shared;
    },
    isUp: () => true,
    async collectionNames() {
      const place = { url: address.url, headers, ...(await findPlace()) };
      return retryWhenBusy(() => listCollectionNames(place), { maxWaitMs: MAX_WAIT_MS, signal: closing.signal });
    },
    onRecovered: () => undefined,
    empty: async () => {
      throw new ServiceError('store_failed', `${where} is a shared server; Citewell does not delete all its data.`);
    },
    close: async () => closing.abort(),
  };
}

async function resolveTenancy(
  { tenant, database }: Address,
  client: () => Promise<ChromaClient>,
  where: string,
): Promise<Tenancy> {
  if (tenant !== undefined && database !== undefined) return { tenant, database };
  try {
    const identity = await retryWhenBusy(async () => (await client()).getUserIdentity(), { maxWaitMs: MAX_WAIT_MS });
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

async function clientFor(
  { url }: Address,
  headers: Readonly<Record<string, string>>,
  more: Partial<Tenancy> & { readonly checks?: ServerChecks | undefined; readonly signal?: AbortSignal } = {},
): Promise<ChromaClient> {
  const { PreparedClient } = await import('./prepared-client.ts');
  const { protocol, hostname, port } = new URL(url);
  const ssl = protocol === 'https:';
  const { signal, checks, ...tenancy } = more;
  const place = { host: hostname, port: port === '' ? (ssl ? 443 : 80) : Number(port), ssl, headers: { ...headers } };
  return new PreparedClient({ ...place, ...tenancy, ...(signal && { fetchOptions: { signal } }) }, checks);
}
