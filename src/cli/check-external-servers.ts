import type { Config } from '../config.ts';
import { createExternalTools } from '../mcp/external-tools.ts';
import { readVersion } from '../version.ts';
import type { Finding } from './doctor-checks.ts';

/** Milliseconds to wait for servers to start. */
const TIMEOUT_MS = 20_000;

/** Connects to all configured MCP servers concurrently and reports which tools the agent gets. */
export async function checkExternalServers({ externalServers }: Config): Promise<Finding[]> {
  // Servers that provide only resources are connected to when these are synchronised.
  const servers = externalServers.filter(({ tools }) => tools.length > 0);
  if (servers.length === 0) return [];
  const name = 'MCP servers';
  const log = { info: () => {}, warn: () => {} };
  const times = { firstWaitMs: TIMEOUT_MS, connectMs: TIMEOUT_MS };
  const external = createExternalTools({ servers, version: readVersion(), log, times });
  try {
    const tools = await external.offer();
    const problems = external.problems();
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} of ${servers.map((server) => server.name).join(', ')}`;
    if (problems.length === 0) return [{ name, state: 'ok', detail: count }];
    const fix = "Run the server's command in a terminal to see its output, or correct CITEWELL_MCP_SERVERS.";
    return [{ name, state: 'warning', detail: `${count}. ${problems.join(' ')}`, fix }];
  } finally {
    await external.close();
  }
}
