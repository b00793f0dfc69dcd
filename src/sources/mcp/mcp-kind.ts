import { ServiceError } from '../../errors.ts';
import { defineSourceKind } from '../source-kind.ts';
import type { McpServers } from './mcp-servers.ts';

/** The resources of an MCP server that the operator has configured. */
export const mcpKind = defineSourceKind({
  type: 'mcp',
  title: 'Resources of an MCP server',
  schemes: ['mcp'],
  example: 'mcp://server',
  isForSuperusers: true,
  fields: {
    server: {
      type: 'text',
      isRequired: true,
      example: 'wiki',
      description: 'Name of a server in CITEWELL_MCP_SERVERS with "resources": true.',
    },
  },
  secrets: {},
  readAddress: ({ hostname }) => ({ server: hostname }),
  addressOf: ({ server }) => addressOf(server),
  requireKnown: ({ server }, { mcp }) => requireServer(server, mcp),
  async open({ server }, _, { mcp }) {
    const servers = requireServer(server, mcp);
    const { createMcpConnector } = await import('./mcp-connector.ts');
    return createMcpConnector({ address: addressOf(server), connection: servers.connect(server) });
  },
});

function addressOf(server: string): string {
  if (!/^[A-Za-z0-9_-]{1,30}$/.test(server)) {
    throw new ServiceError('invalid_request', 'server: expected the name of a configured server, as in mcp://wiki.');
  }
  return `mcp://${server}`;
}

function requireServer(name: string, servers: McpServers | undefined): McpServers {
  if (servers?.names.includes(name) === true) return servers;
  const known = servers === undefined || servers.names.length === 0 ? 'none' : servers.names.join(', ');
  throw new ServiceError(
    'invalid_request',
    `There is no MCP server "${name}" whose resources may be followed. There are: ${known}. ` +
      'Add it to CITEWELL_MCP_SERVERS with "resources": true.',
  );
}
