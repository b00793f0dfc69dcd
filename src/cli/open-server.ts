import { type AccessTokens, createAccessTokens } from '../access/access-tokens.ts';
import { createAuthenticator } from '../access/authenticator.ts';
import { defaultAdmin } from '../access/principal.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/app.ts';
import { allowOrigins } from '../http/cors.ts';
import { keepOthersOut } from '../http/guard.ts';
import { protectedResource } from '../http/protected-resource.ts';
import { type Address, listen } from '../http/serve.ts';
import type { Backend } from '../mcp/backend.ts';
import type { ToolOffer } from '../mcp/choose-tools.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { createLocalBackend } from '../mcp/local-backend.ts';
import { peerRoutes } from '../mcp/peer/peer-routes.ts';
import { mcpServers } from '../mcp/server.ts';
import type { Services } from '../services.ts';
import { removeServerInfo, type ServerInfo, writeServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';

export interface ServerParts {
  readonly services: Services;
  readonly config: Config;
  readonly address: Address;
  /** What MCP clients over HTTP get. */
  readonly offer: ToolOffer;
  readonly folders: readonly string[];
  /** `mcp` listens for other processes of this user alone, which know the token of the data folder. */
  readonly role: ServerInfo['role'];
  readonly onYield?: () => Promise<void>;
}

export interface OpenServer {
  readonly url: string;
  /** The same services without the way over HTTP. */
  readonly backend: Backend;
  close(): Promise<void>;
}

/** Names by which a machine calls itself. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Serves the services over HTTP with all faces, and announces that in the data folder. Closing leaves them open. */
export async function openServer(parts: ServerParts): Promise<OpenServer> {
  const { services, config, address, offer, folders, role, onYield } = parts;
  const stopping = new AbortController();
  let info: ServerInfo | undefined;
  let url = '';
  // Whoever knows the data folder's token is this machine's own; for `mcp` nobody else is let in.
  const isPrivate = role === 'mcp';
  const { keys, oauth } = isPrivate ? { keys: [], oauth: undefined } : config.access;
  const resource = () => oauth?.audience ?? `${url}/mcp`;
  const tokens = oauth && createAccessTokens({ issuer: oauth.issuer, resource });
  const isOpen = !isPrivate && config.access.mode === 'off';
  const authenticate = createAuthenticator({
    keys,
    tokens,
    localToken: () => info?.token,
    ...(!isPrivate && { people: services.accounts.people }),
    ...(isOpen && { anonymous: defaultAdmin }),
  });
  const hosts = [nameOf(address.host), ...namesIn(oauth?.audience), ...config.allowedHosts];
  const backend = createLocalBackend(services);
  const mcp = mcpOverHttp({
    createServer: mcpServers({ backend, offer, folders, version: readVersion() }),
    backend,
    authenticate,
    allowedHosts: [...OWN_NAMES, ...hosts],
    allowedOrigins: [...OWN_NAMES, ...config.allowedOrigins],
    admit: services.accounts.limits.admit,
    onError: (error) => services.log.warn({ err: error }, 'An MCP client sent what could not be served.'),
  });
  const peers = peerRoutes({ backend, token: () => info?.token, onYield, stopping: stopping.signal });
  const mounts = [
    { path: '/mcp', handler: mcp.router },
    { path: '/peer', handler: peers },
    ...(oauth ? [protectedResource(() => ({ issuer: oauth.issuer, resource: resource() }))] : []),
  ];
  // Where credentials are asked for, pages of any site may come with them.
  const guard = isOpen ? keepOthersOut({ hosts, origins: config.allowedOrigins }) : allowOrigins;
  const app = createApp(services, authenticate, mounts, guard);
  const server = await listen(app, address);
  url = server.url;
  if (tokens !== undefined) lookForKeys(tokens, services);
  info = await writeServerInfo(config.dataDir, url, { version: readVersion(), role });
  return {
    url,
    backend,
    async close() {
      await removeServerInfo(config.dataDir);
      stopping.abort();
      await mcp.close();
      await server.close();
      await backend.close();
    },
  };
}

/** As a caller writes it in an address. */
const nameOf = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The name that tokens are made out to is one by which the server is called. */
const namesIn = (audience: string | undefined): string[] =>
  audience === undefined ? [] : [new URL(audience).hostname];

/** So that a wrong issuer is noticed at the start and not by the first caller. */
function lookForKeys(tokens: AccessTokens, { log }: Services): void {
  tokens.findKeys().catch((error: unknown) => log.warn({ err: error }, 'Access tokens cannot be checked yet.'));
}
