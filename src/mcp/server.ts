import { McpServer, type McpServerOptions, type ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from '../access/principal.ts';
import type { Tool } from '../toolbox/tool.ts';
import { advertised } from './advertised-schema.ts';
import type { Backend } from './backend.ts';
import type { ToolOffer } from './choose-tools.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { withPrefix } from './prefix.ts';
import { reportProgress } from './progress.ts';
import { createPrompts } from './prompts.ts';
import { renderOutput } from './render-output.ts';
import { createResources } from './resources.ts';
import { unanswered } from './unanswered.ts';

export interface McpServerParts {
  readonly backend: Backend;
  readonly offer: ToolOffer;
  /** Put before each tool's name, for hosts that do not keep servers apart. */
  readonly prefix?: string | undefined;
  /** Folders below which `ingest_file` may read; absolute. */
  readonly folders: readonly string[];
  readonly version: string;
  /** Over the options of every server; for builds that register more on it. */
  readonly options?: McpServerOptions;
}

/** Makes a server for one connection or one request of that principal; both protocol eras are served by it. */
export type CreateMcpServer = (principal: Principal) => McpServer;

/** Largest number of members and elements that the arguments of a call may have. */
const MOST_ARGUMENTS = 20_000;
const MINUTE = 60_000;

/** Everything that does not depend on who asks is made once, here. */
export function mcpServers(parts: McpServerParts): CreateMcpServer {
  const { backend, offer, version } = parts;
  const naming = withPrefix(parts.prefix ?? '', offer.tools);
  const definitions = offer.tools.map((tool) => ({
    tool,
    name: naming.name(tool.name),
    config: toConfig(tool, naming.words),
  }));
  const resources = createResources(backend);
  const prompts = createPrompts(backend, naming.words);

  return (principal) => {
    const server = new McpServer(
      { name: 'citewell', title: 'Citewell', version },
      {
        instructions: naming.words(INSTRUCTIONS),
        maxToolInputElements: MOST_ARGUMENTS,
        capabilities: {
          tools: { listChanged: false },
          prompts: { listChanged: false },
          resources: { listChanged: true, subscribe: true },
        },
        cacheHints: {
          'server/discover': { ttlMs: 10 * MINUTE, cacheScope: 'private' },
          'tools/list': { ttlMs: 10 * MINUTE, cacheScope: 'private' },
          'prompts/list': { ttlMs: 10 * MINUTE, cacheScope: 'private' },
          'resources/list': { ttlMs: 5_000, cacheScope: 'private' },
          'resources/templates/list': { ttlMs: 10 * MINUTE, cacheScope: 'private' },
        },
        ...parts.options,
      },
    );
    for (const { tool, name, config } of definitions) {
      server.registerTool(name, config, async (given, context: ServerContext) => {
        const report = reportProgress(context, tool.title);
        try {
          const { folders } = parts;
          const request = { principal, name: tool.name, arguments: given, folders, absent: offer.absent };
          const { signal } = context.mcpReq;
          const outcome = await backend.call(request, {
            signal,
            ...(report === undefined ? {} : { onProgress: report.onProgress }),
          });
          return naming.result(renderOutput(outcome));
        } catch (error) {
          // What is thrown here is not an outcome of the tool: the call was called off, or nobody could be asked.
          return renderOutput(unanswered(error));
        } finally {
          report?.stop();
        }
      });
    }
    resources(server, principal);
    prompts(server, principal);
    return server;
  };
}

function toConfig(
  { title, description, inputSchema, outputSchema, annotations }: Tool,
  words: (text: string) => string,
) {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  return {
    title,
    description: words(description),
    inputSchema: advertised(inputSchema),
    ...(outputSchema === null ? {} : { outputSchema: advertised(outputSchema) }),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
}
