import type { Duplex } from 'node:stream';
import type { Authenticate } from '../access/credentials.ts';
import type { Services } from '../compose/services.ts';
import type { Config } from '../config.ts';
import type { Mount } from '../http/app.ts';
import type { Address } from '../http/serve.ts';
import type { Backend } from '../mcp/backend.ts';
import type { ToolOffer } from '../mcp/choose-tools.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { createLocalBackend } from '../mcp/local-backend.ts';
import { peerRoutes } from '../mcp/peer/peer-routes.ts';
import { mcpServers } from '../mcp/server.ts';
import type { ServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';
import { attachedMcp } from './attached-mcp.ts';
import { connectionOffers } from './offer-tools.ts';

export interface ServerParts {
  readonly services: Services;
  readonly config: Config;
  readonly address: Address;
  /** Tools for MCP clients over HTTP; without it none are served. */
  readonly offer?: ToolOffer;
  readonly folders?: readonly string[];
  /** All roles but `server` serve only processes of this user, which know the token of the data folder. */
  readonly role: ServerInfo['role'];
  readonly onReleaseRequest?: () => Promise<void>;
}

export interface McpEndpoints {
  readonly backend: Backend;
  /** For MCP clients over HTTP. */
  readonly overHttp: Mount['handler'];
  /** For `citewell mcp` processes that do not hold the data folder. */
  readonly forPeers: Mount['handler'];
  /** For `citewell mcp` processes that relay their client's messages. */
  readonly attach: (socket: Duplex, head: Buffer) => void;
  endSessions(): Promise<void>;
  close(): Promise<void>;
}

interface McpEndpointsParts extends ServerParts {
  readonly authenticate: Authenticate;
  /** Host names, other than those of this machine, under which the server may be called. */
  readonly hosts: readonly string[];
  readonly token: () => string | undefined;
  /** The address of this process. */
  readonly url: () => string;
  readonly stopping: AbortSignal;
}

/** Host names of the local machine. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Opens the services to MCP clients and to other processes of this user. */
export function openMcpEndpoints(parts: McpEndpointsParts): McpEndpoints {
  const { services, config, authenticate, hosts, token, url, role, stopping, onReleaseRequest } = parts;
  const { offer = { tools: [], absent: [] }, folders = [] } = parts;
  const backend = createLocalBackend(services);
  // Private processes do not serve the web page.
  const servesPage = role === 'server';
  const pageOrigin = servesPage ? url : undefined;
  const mcp = mcpOverHttp({
    createServer: mcpServers({ backend, offer, folders, version: readVersion() }),
    backend,
    authenticate,
    servesPage,
    allowedHosts: [...OWN_NAMES, ...hosts],
    allowedOrigins: [...OWN_NAMES, ...config.allowedOrigins],
    offerFor: connectionOffers(config, offer, folders),
    admit: services.accounts.limits.admit,
    onError: (error) => services.log.warn({ err: error }, 'A request of an MCP client failed.'),
  });
  return {
    backend,
    overHttp: mcp.router,
    forPeers: peerRoutes({ backend, token, onReleaseRequest: onReleaseRequest, stopping, pageOrigin }),
    attach: attachedMcp({ config, backend, stopping, pageOrigin }),
    endSessions: mcp.close,
    close: backend.close,
  };
}
