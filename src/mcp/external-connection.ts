import type { CallToolResult, Client, ClientOptions, Tool as WireTool } from '@modelcontextprotocol/client';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { isSessionGone, reasonOf, serverErrorMessage } from './external-failure.ts';
import type { ExternalServer } from './external-servers.ts';
import { transportTo } from './external-transport.ts';

export interface ExternalLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ConnectionTimings {
  /** Milliseconds for a server to start and answer. */
  readonly connectMs: number;
  /** Milliseconds that a caller waits for the first connection attempt. */
  readonly firstWaitMs: number;
  /** Milliseconds before the first reconnection attempt; doubled after each failure up to `maxBackoffMs`. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Milliseconds after which the tool list is refreshed. */
  readonly listMaxAgeMs: number;
}

export const defaultTimings: ConnectionTimings = {
  connectMs: 30_000,
  firstWaitMs: 2_000,
  backoffMs: 1_000,
  maxBackoffMs: 5 * 60_000,
  listMaxAgeMs: 5 * 60_000,
};

export interface ExternalConnection {
  readonly server: ExternalServer;
  /** Selected tools of the server; empty while disconnected. */
  readonly tools: readonly WireTool[];
  /** Why it is disconnected, without text from the server; undefined when connected or never tried. */
  readonly problem: string | undefined;
  /** Starts a connection attempt if one is due. Waits, for a limited time, only for the first attempt. Never throws. */
  wake(): Promise<void>;
  /** Throws ServiceError with our own message, or the signal's reason. */
  call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface ConnectionParts {
  readonly server: ExternalServer;
  readonly version: string;
  readonly times: ConnectionTimings;
  readonly log: ExternalLog;
}

/** Maximum bytes of one message; servers that exceed it are disconnected. */
const MAX_BYTES = 4_000_000;
const MAX_PAGES = 20;

interface OpenConnection {
  readonly client: Client;
  readonly isLegacy: boolean;
  readonly since: number;
  tools: readonly WireTool[];
  listedAt: number;
  end(): Promise<void>;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly done: Promise<void>; readonly ending: AbortController }
  | { readonly kind: 'open'; readonly open: OpenConnection }
  | { readonly kind: 'failed'; readonly reason: string; readonly until: number }
  | { readonly kind: 'closed' };

/** Connection to one server: opened on demand, and reopened with exponential backoff after failures. */
export function createExternalConnection({ server, version, times, log }: ConnectionParts): ExternalConnection {
  let state: State = { kind: 'idle' };
  let failures = 0;
  let failingSince: number | undefined;
  const isAllowed = ({ name }: WireTool) => server.tools === '*' || server.tools.includes(name);

  const fail = (reason: string, cause?: unknown) => {
    if (state.kind === 'closed') return;
    const pause = Math.min(times.backoffMs * 2 ** failures, times.maxBackoffMs);
    failures++;
    state = { kind: 'failed', reason, until: performance.now() + pause };
    log.warn({ server: server.name, err: cause }, `The MCP server "${server.name}" ${reason}.`);
  };

  async function connect(ending: AbortController): Promise<void> {
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(times.connectMs)]);
    try {
      const open = await openConnection({ server, version, timeout: times.connectMs, signal, onEnd, onListChanged });
      if (ending.signal.aborted) return await open.end();
      state = { kind: 'open', open };
      log.info({ server: server.name, tools: open.tools.length }, `Connected to the MCP server "${server.name}".`);
    } catch (error) {
      const isLate = signal.aborted && !ending.signal.aborted;
      fail(isLate ? `did not answer within ${times.connectMs / 1000} s` : reasonOf(error, server), error);
    }
  }

  function onEnd(open: OpenConnection, reason: string): void {
    if (state.kind !== 'open' || state.open !== open) return;
    // A connection that lasted for a while resets the backoff.
    if (performance.now() - open.since > times.maxBackoffMs / 10) failures = 0;
    fail(reason);
    open.end().catch(() => {});
  }

  function onListChanged(open: OpenConnection): void {
    open.listedAt = performance.now();
    listTools(open.client, times.connectMs).then(
      (tools) => {
        open.tools = tools;
        log.info(
          { server: server.name, tools: tools.length },
          `The MCP server "${server.name}" changed its list of tools.`,
        );
      },
      (error: unknown) => onEnd(open, `did not list its tools again: it ${reasonOf(error, server)}`),
    );
  }

  function begin(): Promise<void> | undefined {
    if (state.kind === 'connecting') return state.done;
    if (state.kind === 'idle' || (state.kind === 'failed' && performance.now() >= state.until)) {
      failingSince ??= performance.now();
      const ending = new AbortController();
      const { promise: done, resolve } = Promise.withResolvers<void>();
      state = { kind: 'connecting', done, ending };
      connect(ending).finally(resolve);
      return done;
    }
    if (state.kind === 'open' && performance.now() - state.open.listedAt > times.listMaxAgeMs)
      onListChanged(state.open);
    return undefined;
  }

  async function opened(signal: AbortSignal): Promise<OpenConnection> {
    const done = begin();
    if (done !== undefined) await raceAbort(done, signal);
    if (state.kind === 'open') return state.open;
    const reason = state.kind === 'failed' ? state.reason : 'is not connected to';
    throw new ServiceError('provider_failed', `The MCP server "${server.name}" ${reason}.`);
  }

  return {
    server,

    get tools() {
      return state.kind === 'open' ? state.open.tools.filter(isAllowed) : [];
    },

    get problem() {
      return problemOf(state);
    },

    async wake() {
      const done = begin();
      const rest = (failingSince ?? 0) + times.firstWaitMs - performance.now();
      if (done === undefined || rest <= 0) return;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, rest);
      await Promise.race([done, late]);
      clearTimeout(timer);
    },

    async call(name, input, signal) {
      for (let attempt = 1; ; attempt++) {
        const open = await opened(signal);
        try {
          // The tool enforces its own deadline; this timeout only prevents waiting forever for a lost call.
          const timeout = server.deadline + 5_000;
          const result = await open.client.callTool({ name, arguments: { ...input } }, { signal, timeout });
          failures = 0;
          return result;
        } catch (error) {
          signal.throwIfAborted();
          const serverMessage = serverErrorMessage(error);
          if (serverMessage !== undefined) return { content: [{ type: 'text', text: serverMessage }], isError: true };
          onEnd(open, reasonOf(error, server));
          // The server has dropped the session without starting the call, so a retry in a new session is safe.
          if (attempt === 1 && open.isLegacy && isSessionGone(error)) {
            // Another call that lost the same session may already be opening the next one.
            if (state.kind === 'failed') state = { kind: 'idle' };
            continue;
          }
          const message = `The MCP server "${server.name}" ${reasonOf(error, server)}; whether the call was carried out is not known.`;
          throw new ServiceError('provider_failed', message, { cause: error });
        }
      }
    },

    async close() {
      const before = state;
      state = { kind: 'closed' };
      if (before.kind === 'open') await before.open.end();
      if (before.kind !== 'connecting') return;
      before.ending.abort();
      await before.done;
    },
  };
}

function problemOf(state: State): string | undefined {
  switch (state.kind) {
    case 'idle':
    case 'open':
    case 'closed':
      return undefined;
    case 'connecting':
      return 'is still being connected to';
    case 'failed':
      return state.reason;
  }
}

interface OpenRequest {
  readonly server: ExternalServer;
  readonly version: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly onEnd: (open: OpenConnection, reason: string) => void;
  readonly onListChanged: (open: OpenConnection) => void;
}

async function openConnection({
  server,
  version,
  timeout,
  signal,
  onEnd,
  onListChanged,
}: OpenRequest): Promise<OpenConnection> {
  // Loaded lazily: most installations have no external servers.
  const { Client } = await import('@modelcontextprotocol/client');
  let open: OpenConnection | undefined;
  let hasSentTooMuch = false;
  const tooMuch = () => {
    hasSentTooMuch = true;
    if (open !== undefined) onEnd(open, `sent more than ${MAX_BYTES} bytes at once`);
  };
  const options: ClientOptions = {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: timeout / 2 } },
    listMaxPages: MAX_PAGES,
    // Output schemas of untrusted servers are not evaluated; results are used as text only.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
    listChanged: { tools: { autoRefresh: false, onChanged: () => open !== undefined && onListChanged(open) } },
  };
  const client = new Client({ name: 'citewell', version }, options);
  const { transport, end } = await transportTo(server, MAX_BYTES, tooMuch);
  const endClient = () => end(client);
  client.onerror = (error) => {
    if (/buffer|exceed/i.test(error.message)) tooMuch();
  };
  client.onclose = () => {
    if (open !== undefined)
      onEnd(open, hasSentTooMuch ? `sent more than ${MAX_BYTES} bytes at once` : 'ended the connection');
  };
  try {
    await raceAbort(client.connect(transport, { signal, timeout }), signal);
    const tools = await raceAbort(listTools(client, timeout), signal);
    const now = performance.now();
    const isLegacy = client.getProtocolEra() !== 'modern';
    open = { client, isLegacy, since: now, tools, listedAt: now, end: endClient };
    return open;
  } catch (error) {
    await endClient();
    if (hasSentTooMuch)
      throw new ServiceError('too_large', `sent more than ${MAX_BYTES} bytes at once`, { cause: error });
    throw error;
  }
}

async function listTools(client: Client, timeout: number): Promise<readonly WireTool[]> {
  return (await client.listTools(undefined, { timeout, cacheMode: 'refresh' })).tools;
}
