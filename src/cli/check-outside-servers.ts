import type { Config } from '../config.ts';
import { createOutsideTools } from '../mcp/outside-tools.ts';
import { readVersion } from '../version.ts';
import type { Finding } from './doctor-checks.ts';

/** What a person who looks for a fault waits for servers to come up. */
const PATIENCE = 20_000;

/** Connects to the MCP servers of the settings, all at once, and says what of them the agent gets. */
export async function checkOutsideServers({ outsideServers: servers }: Config): Promise<Finding[]> {
  if (servers.length === 0) return [];
  const name = 'MCP servers';
  const log = { info: () => {}, warn: () => {} };
  const times = { patience: PATIENCE, connect: PATIENCE };
  const outside = createOutsideTools({ servers, version: readVersion(), log, times });
  try {
    const tools = await outside.offer();
    const problems = outside.problems();
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} of ${servers.map((server) => server.name).join(', ')}`;
    if (problems.length === 0) return [{ name, state: 'ok', detail: count }];
    const fix = 'Run the command of the server by itself to see what it says, or correct CITEWELL_MCP_SERVERS.';
    return [{ name, state: 'warning', detail: `${count}. ${problems.join(' ')}`, fix }];
  } finally {
    await outside.close();
  }
}
