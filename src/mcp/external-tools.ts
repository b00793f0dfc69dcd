import type { ExternalTools } from '../toolbox/external-tools.ts';
import type { Tool } from '../toolbox/tool.ts';
import {
  type ConnectionTimings,
  createExternalConnection,
  defaultTimings,
  type ExternalConnection,
  type ExternalLog,
} from './external-connection.ts';
import { type ExternalServer, SEPARATOR } from './external-servers.ts';
import { externalTool, publicName } from './external-tool.ts';

export interface ExternalToolsParts {
  readonly servers: readonly ExternalServer[];
  readonly version: string;
  readonly log: ExternalLog;
  readonly times?: Partial<ConnectionTimings>;
}

/** Model providers accept at most 128 tools, including our own. */
const MAX_TOOLS = 100;

/** Tools of the configured servers for the agent. Connects when tools are first requested. */
export function createExternalTools(parts: ExternalToolsParts): ExternalTools & { close(): Promise<void> } {
  const { version, log } = parts;
  // Servers without selected tools are only used for their resources.
  const servers = parts.servers.filter(({ tools }) => tools.length > 0);
  const times = { ...defaultTimings, ...parts.times };
  const connections = servers.map((server) => createExternalConnection({ server, version, times, log }));

  const names = servers.flatMap(({ name, tools }) =>
    tools === '*' ? [`${name}${SEPARATOR}*`] : tools.map((tool) => publicName(name, tool)),
  );

  return {
    names,

    covers: (pattern) =>
      servers.some(({ name, tools }) => {
        if (!pattern.startsWith(`${name}${SEPARATOR}`)) return false;
        return tools === '*' || pattern === `${name}${SEPARATOR}*` || names.includes(pattern);
      }),

    async offer() {
      await Promise.all(connections.map((connection) => connection.wake()));
      return connections.flatMap((connection) => toolsOf(connection).tools).slice(0, MAX_TOOLS);
    },

    problems() {
      const all = connections.map((connection) => toolsOf(connection));
      const count = all.reduce((sum, { tools }) => sum + tools.length, 0);
      return [
        ...all.flatMap(({ problems }) => problems),
        ...(count > MAX_TOOLS ? [`The MCP servers have ${count} tools; the agent gets the first ${MAX_TOOLS}.`] : []),
      ];
    },

    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly string[];
}

function toolsOf(connection: ExternalConnection): OfferedTools {
  const { server, problem, tools: listed } = connection;
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  for (const wire of listed) {
    try {
      const tool = externalTool({ server: server.name, wire, deadline: server.deadline, call: connection.call });
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
    } catch {
      problems.push(`The tool ${publicName(server.name, wire.name)} is left out: its schema is too large.`);
    }
  }
  if (problem !== undefined) problems.push(`The MCP server "${server.name}" ${problem}, so its tools are unavailable.`);
  else if (server.tools !== '*' && listed.length > 0) {
    const missing = server.tools.filter((name) => !listed.some((wire) => wire.name === name));
    for (const name of missing) problems.push(`The MCP server "${server.name}" has no tool "${name}".`);
  }
  return { tools: [...tools.values()], problems };
}
