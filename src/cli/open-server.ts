import type { Principal } from '../access/principal.ts';
import { defaultAdmin } from '../access/principal.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { createApp } from '../http/app.ts';
import { type Authenticate, asDefaultAdmin } from '../http/authenticate.ts';
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
  const authenticate = role === 'mcp' ? byToken(() => info?.token) : asDefaultAdmin;
  const backend = createLocalBackend(services);
  const mcp = mcpOverHttp({
    createServer: mcpServers({ backend, offer, folders, version: readVersion() }),
    backend,
    authenticate,
    allowedHosts: [...OWN_NAMES, nameOf(address.host), ...config.allowedHosts],
    allowedOrigins: [...OWN_NAMES, ...config.allowedOrigins],
    onError: (error) => services.log.warn({ err: error }, 'An MCP client sent what could not be served.'),
  });
  const peers = peerRoutes({ backend, token: () => info?.token, onYield, stopping: stopping.signal });
  const app = createApp(services, authenticate, [
    { path: '/mcp', handler: mcp.router },
    { path: '/peer', handler: peers },
  ]);
  const server = await listen(app, address);
  info = await writeServerInfo(config.dataDir, server.url, { version: readVersion(), role });
  return {
    url: server.url,
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

function byToken(token: () => string | undefined): Authenticate {
  return async ({ bearer }): Promise<Principal> => {
    if (bearer !== undefined && bearer === token()) return defaultAdmin;
    throw new ServiceError('unauthenticated', 'This server is for processes of its own user; its token is missing.');
  };
}
