import type { AccessTokens } from '../access/access-tokens.ts';
import { createAuthenticator } from '../access/authenticator.ts';
import { createLibreChatAuthenticator } from '../access/librechat-tokens.ts';
import { defaultAdmin } from '../access/principal.ts';
import type { Services } from '../compose/services.ts';
import { ServiceError } from '../errors.ts';
import { createApp, preloadRoutes } from '../http/app.ts';
import { asDefaultAdmin } from '../http/authenticate.ts';
import { allowOrigins } from '../http/cors.ts';
import { rejectOtherOrigins } from '../http/guard.ts';
import type { HttpLog } from '../http/http-services.ts';
import { onDemand } from '../http/on-demand.ts';
import { protectedResource } from '../http/protected-resource.ts';
import { listen } from '../http/serve.ts';
import { carriesToken } from '../mcp/peer/peer-routes.ts';
import { returnMemoryAtRest } from '../shared/return-memory.ts';
import { removeServerInfo, type ServerInfo, writeServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';
import type { McpEndpoints, ServerParts } from './mcp-endpoints.ts';

export interface OpenServer {
  readonly url: string;
  /** The token in the data folder's `server.json`. */
  readonly token: string;
  /** The services for MCP, without going through HTTP. */
  mcp(): Promise<McpEndpoints>;
  /** Answers health checks with 503 from now on. */
  announceStop(): void;
  /** Stops accepting connections and settles when running requests and responses have ended, or after this time. */
  finish(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The first searches after a start do not wait for it. */
const PRELOAD_AFTER_MS = 3000;

/** Serves the services over HTTP and announces the address in the data folder. Closing leaves the services open. */
export async function openServer(parts: ServerParts): Promise<OpenServer> {
  const { services, config, address, offer, role } = parts;
  const stopping = new AbortController();
  let info: ServerInfo | undefined;
  let url = '';
  // Callers with the data folder's token run as this user; a private server accepts nobody else.
  const isPrivate = role !== 'server';
  const { keys, oauth } = isPrivate ? { keys: [], oauth: undefined } : config.access;
  const resource = () => oauth?.audience ?? `${url}/mcp`;
  const tokens = oauth && (await import('../access/access-tokens.ts')).createAccessTokens({ ...oauth, resource });
  const isOpen = !isPrivate && config.access.mode === 'off';
  const localToken = () => info?.token;
  const authenticate = createAuthenticator({
    keys,
    tokens,
    localToken,
    ...(!isPrivate && { userAuthenticator: services.accounts.userAuthenticator }),
    ...(isOpen && { anonymous: defaultAdmin }),
  });
  const ofLibreChat = isOpen ? asDefaultAdmin : createLibreChatAuthenticator(config.access.libreChatSecret);
  const hosts = [nameOf(address.host), ...namesIn(oauth?.audience), ...config.allowedHosts];
  let endpoints: Promise<McpEndpoints> | undefined;
  const mcp = () => {
    // Loaded on first use: most commands end before an assistant connects.
    endpoints ??= import('./mcp-endpoints.ts').then(({ openMcpEndpoints }) =>
      openMcpEndpoints({ ...parts, authenticate, hosts, token: localToken, url: () => url, stopping: stopping.signal }),
    );
    return endpoints;
  };
  const finish = async () => (await import('../http/routes/finish.ts')).finishRoutes(services, authenticate);
  const libreChat = async () => (await import('../http/routes/librechat.ts')).libreChatRoutes(services, ofLibreChat);
  const mounts = [
    ...(offer ? [{ path: '/mcp', handler: onDemand(async () => (await mcp()).overHttp) }] : []),
    { path: '/peer', handler: onDemand(async () => (await mcp()).forPeers) },
    ...(role === 'command' ? [{ path: '/v3/finish', handler: onDemand(finish) }] : []),
    ...(isPrivate ? [] : [{ path: '/librechat', handler: onDemand(libreChat), isGuarded: true }]),
    ...(oauth ? [protectedResource(() => ({ issuer: oauth.issuer, resource: resource() }))] : []),
  ];
  // With authentication, pages of any origin may call with credentials.
  const guard = isOpen ? rejectOtherOrigins({ hosts, origins: config.allowedOrigins }) : allowOrigins;
  const log = role === 'command' ? withoutReported(services.log) : services.log;
  const app = createApp({ ...services, log }, authenticate, mounts, guard);
  const server = await listen(app, address, services.limits.request);
  url = server.url;
  server.onConnect((request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refuse = () => socket.destroy();
    if (carriesToken(request, localToken())) mcp().then(({ attach }) => attach(socket, head), refuse);
    else refuse();
  });
  if (tokens !== undefined) lookForKeys(tokens, services);
  info = await writeServerInfo(config.dataDir, url, { version: readVersion(), role });
  const stopReturningMemory = returnMemoryAtRest();
  // A failure is reported by the first request that needs them.
  if (role === 'server') setTimeout(() => preloadRoutes().catch(() => undefined), PRELOAD_AFTER_MS).unref();
  return {
    url,
    token: info.token,
    mcp,
    announceStop: server.announceStop,
    async finish(withinMs) {
      await removeServerInfo(config.dataDir);
      await server.finish(withinMs);
    },
    async close() {
      stopReturningMemory();
      await removeServerInfo(config.dataDir);
      stopping.abort();
      const opened = await endpoints;
      await opened?.endSessions();
      await server.close();
      await opened?.close();
    },
  };
}

/**
 * For the server of a single command, which prints the failures of its own requests: logs only what the response leaves
 * out.
 */
const withoutReported = (log: HttpLog): HttpLog => ({
  info: (fields, message) => log.info(fields, message),
  error: (fields, message) => log.error(fields, message),
  warn(fields, message) {
    const thrown = 'err' in fields && fields.err instanceof ServiceError ? fields.err : undefined;
    if (thrown?.publicMessage !== message) log.warn(fields, message);
    else if (thrown.message !== message) log.warn({ ...fields, err: undefined }, thrown.message);
  },
});

/** The host as written in a URL: IPv6 addresses in brackets. */
const nameOf = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The host of the token audience is a name of this server. */
const namesIn = (audience: string | undefined): string[] =>
  audience === undefined ? [] : [new URL(audience).hostname];

/** Fetches the issuer's keys, so that a wrong issuer is noticed at start. */
function lookForKeys(tokens: AccessTokens, { log }: Services): void {
  tokens.findKeys().catch((error: unknown) => log.warn({ err: error }, 'Access tokens cannot be checked yet.'));
}
