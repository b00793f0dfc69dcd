import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readExternalServers, type ServersReading } from '../mcp/external-servers.ts';

/** Reads MCP servers from the value, which is JSON or the path of a JSON file. */
export function externalServers(
  value: string | undefined,
  cwd: string,
  set: Readonly<Record<string, string>>,
): ServersReading {
  if (value === undefined) return { servers: [], complaints: [] };
  if (value.trimStart().startsWith('{')) return readExternalServers(value, set);
  try {
    return readExternalServers(readFileSync(resolve(cwd, value), 'utf8'), set);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { servers: [], complaints: [`expected the path of a file, or JSON; the file cannot be read${code}`] };
  }
}
