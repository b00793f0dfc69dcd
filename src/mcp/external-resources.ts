import type { Client } from '@modelcontextprotocol/client';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { byteCount } from '../shared/byte-count.ts';
import type { McpConnection, McpServers } from '../sources/mcp/mcp-servers.ts';
import { reasonOf, serverErrorMessage } from './external-failure.ts';
import type { ExternalServer } from './external-servers.ts';
import { transportTo } from './external-transport.ts';

export interface ExternalResourcesParts {
  readonly servers: readonly ExternalServer[];
  readonly version: string;
  /** Size limit of one message; base64 leaves three quarters of it for a file. */
  readonly maxMessageBytes?: number;
}

/** Milliseconds for a server to start and answer. */
const CONNECT_MS = 30_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** JSON-RPC error codes for a missing resource, in earlier protocol versions and in the current one. */
const NOT_FOUND: ReadonlySet<unknown> = new Set([-32_002, -32_602]);

/** Resources of the servers configured to offer them. Each source opens its own connection while it synchronises. */
export function createExternalResources(parts: ExternalResourcesParts): McpServers {
  const { servers, version, maxMessageBytes = MAX_MESSAGE_BYTES } = parts;
  const followed = servers.filter(({ resources }) => resources === true);
  return {
    names: followed.map(({ name }) => name),
    connect(name) {
      const server = followed.find((each) => each.name === name);
      if (server === undefined) throw new ServiceError('invalid_request', `There is no MCP server "${name}".`);
      return connectTo(server, { version, maxMessageBytes });
    },
  };
}

interface Open {
  readonly client: Client;
  readonly end: () => Promise<void>;
  hasSentTooMuch: boolean;
}

interface Request<T> {
  readonly signal: AbortSignal;
  readonly isRead: boolean;
  readonly work: (client: Client) => Promise<T>;
}

type Limits = Required<Pick<ExternalResourcesParts, 'version' | 'maxMessageBytes'>>;

function connectTo(server: ExternalServer, { version, maxMessageBytes }: Limits): McpConnection {
  let open: Open | undefined;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function connect(signal: AbortSignal): Promise<Open> {
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'citewell', version },
      { versionNegotiation: { mode: 'auto', probe: { timeoutMs: CONNECT_MS / 2 } } },
    );
    const made: Open = { client, end: async () => end(client), hasSentTooMuch: false };
    const tooMuch = () => {
      made.hasSentTooMuch = true;
    };
    const { transport, end } = await transportTo(server, maxMessageBytes, tooMuch);
    client.onerror = (error) => {
      if (/buffer|exceed/i.test(error.message)) tooMuch();
    };
    try {
      const timely = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
      await raceAbort(client.connect(transport, { signal: timely, timeout: CONNECT_MS }), timely);
      if (client.getServerCapabilities()?.resources === undefined) {
        throw new ServiceError('invalid_request', `The MCP server "${server.name}" has no resources.`);
      }
      return made;
    } catch (error) {
      await made.end();
      throw error;
    }
  }

  async function dropConnection(lost: Open): Promise<void> {
    if (open === lost) open = undefined;
    await lost.end();
  }

  async function ask<T>({ signal, isRead, work }: Request<T>): Promise<T> {
    if (isClosed) throw new ServiceError('cancelled', 'The connection is closed.');
    let used: Open | undefined;
    try {
      used = open ?? (await connect(signal));
      open = used;
      // `close` was called while the connection was being opened.
      if (isClosed) throw new ServiceError('cancelled', 'The connection is closed.');
      return await raceAbort(work(used.client), signal);
    } catch (error) {
      const failure = asFailure(error, {
        server,
        sentMoreThan: used?.hasSentTooMuch === true ? maxMessageBytes : undefined,
        isRead,
      });
      // An error answered by the server does not affect the connection.
      if (used !== undefined && serverErrorMessage(error) === undefined) await dropConnection(used);
      signal.throwIfAborted();
      throw failure;
    }
  }

  /** Sends requests one at a time, so that an oversized response can be attributed to its request. */
  function runExclusively<T>(request: Request<T>): Promise<T> {
    const done = last.then(() => ask(request));
    last = done.catch(() => undefined);
    return done;
  }

  const optionsOf = (signal: AbortSignal) => ({ signal, timeout: server.deadline });
  return {
    async list(cursor, signal) {
      const params = cursor === undefined ? {} : { cursor };
      const { resources, nextCursor } = await runExclusively({
        signal,
        isRead: false,
        work: (client) => client.request({ method: 'resources/list', params }, optionsOf(signal)),
      });
      return {
        resources: resources.map(({ uri, name, title, mimeType, size, annotations }) => ({
          uri,
          name,
          title,
          mimeType,
          size,
          lastModified: annotations?.lastModified,
        })),
        next: nextCursor === '' ? undefined : nextCursor,
      };
    },
    async read(uri, signal) {
      const { contents } = await runExclusively({
        signal,
        isRead: true,
        work: (client) => client.request({ method: 'resources/read', params: { uri } }, optionsOf(signal)),
      });
      return contents;
    },
    async close() {
      isClosed = true;
      if (open !== undefined) await dropConnection(open);
    },
  };
}

interface FailedAnswer {
  readonly server: ExternalServer;
  /** The byte limit, if the response exceeded it. */
  readonly sentMoreThan: number | undefined;
  /** Whether the request read a resource rather than a list. */
  readonly isRead: boolean;
}

function asFailure(error: unknown, { server, sentMoreThan, isRead }: FailedAnswer): ServiceError {
  if (error instanceof ServiceError) return error;
  const name = `The MCP server "${server.name}"`;
  if (sentMoreThan !== undefined) {
    return new ServiceError(
      'too_large',
      `${name} answered with more than the ${byteCount(sentMoreThan)} that are read.`,
    );
  }
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  const cause = { cause: error };
  if (serverErrorMessage(error) !== undefined) {
    if (isRead && NOT_FOUND.has(code))
      return new ServiceError('not_found', `${name} no longer has this resource.`, cause);
    return new ServiceError('provider_failed', `${name} answered with an error (${String(code)}).`, cause);
  }
  const reason = `${name} ${reasonOf(error, server)}.`;
  if (status === 401 || status === 403) return new ServiceError('unauthenticated', reason, cause);
  return new ServiceError(code === 'REQUEST_TIMEOUT' ? 'timeout' : 'provider_failed', reason, cause);
}
