import { McpServer, type McpServerOptions, type ServerContext } from '@modelcontextprotocol/server';
import { audienceFor, type Principal } from '../access/principal.ts';
import type { ToolOutcome } from '../toolbox/call-tool.ts';
import { describeFolder } from '../toolbox/describe-folder.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { FollowedFolder } from '../toolbox/tool-ports.ts';
import { advertised } from './advertised-schema.ts';
import type { Backend } from './backend.ts';
import type { ToolOffer } from './choose-tools.ts';
import { toFailedOutcome } from './failed-outcome.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { withPrefix } from './prefix.ts';
import { reportProgress } from './progress.ts';
import { createPrompts } from './prompts.ts';
import { renderOutput } from './render-output.ts';
import { createResources } from './resources.ts';
import { createSkill } from './skill.ts';
import { APP_MIME_TYPE, CITING_TOOLS, SOURCE_APP_URI, sourceApp } from './source-app.ts';

export interface McpServerParts {
  readonly backend: Backend;
  readonly offer: ToolOffer;
  /** Prefix of tool names, for hosts that do not separate servers. */
  readonly prefix?: string | undefined;
  /** Absolute paths of folders that `ingest_file` may read. */
  readonly folders: readonly string[];
  /** Folders watched by this process, with their current state. */
  readonly followed?: () => readonly FollowedFolder[];
  readonly version: string;
  /** Overrides the server options; for builds that register further features. */
  readonly options?: McpServerOptions;
}

/** Creates a server for one connection or one stateless request of a principal, for both protocol eras. */
export type CreateMcpServer = (principal: Principal, connection?: McpConnection) => McpServer;

export interface McpConnection {
  /** Identifies the connection; absent for stateless requests. */
  readonly session?: string;
  readonly isOnlyClient?: boolean;
  /** Origin of the web page for the client. */
  readonly pageOrigin?: string | undefined;
  /** Replaces the default tools. */
  readonly offer?: ToolOffer | undefined;
}

/** Maximum number of members and elements in the arguments of a call. */
const MAX_ARGUMENTS = 20_000;
const MINUTE = 60_000;

// The icon is a URL instead of data, because revision 2026-07-28 repeats it with every result.
const WEBSITE = 'https://github.com/citewell/citewell';
const ICONS = [{ src: 'https://github.com/citewell.png', mimeType: 'image/png' }];

/** Prepares everything that does not depend on the caller once, and returns the factory. */
export function mcpServers(parts: McpServerParts): CreateMcpServer {
  const { backend, version } = parts;
  const define = (offer: ToolOffer) => {
    const naming = withPrefix(parts.prefix ?? '', offer.tools);
    const definitions = offer.tools.map((tool) => ({
      tool,
      name: naming.name(tool.name),
      config: toConfig(tool, naming.text),
    }));
    const skill = createSkill(offer.tools, naming.text);
    const resources = createResources(backend, naming.text);
    return { naming, definitions, resources, prompts: createPrompts(backend, naming.text), skill };
  };
  const defined = new WeakMap<ToolOffer, ReturnType<typeof define>>();

  return (principal, { session, isOnlyClient = false, pageOrigin, offer = parts.offer } = {}) => {
    const own = defined.get(offer) ?? define(offer);
    defined.set(offer, own);
    const { naming, definitions, resources, prompts, skill } = own;
    const server = new McpServer(
      { name: 'citewell', title: 'Citewell', version, websiteUrl: WEBSITE, icons: ICONS },
      {
        instructions: naming.text(INSTRUCTIONS),
        maxToolInputElements: MAX_ARGUMENTS,
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
          const followed = parts.followed?.() ?? [];
          const request = {
            principal,
            name: tool.name,
            arguments: given,
            session,
            isOnlyClient,
            pageOrigin,
            folders,
            absent: offer.absent,
            followed,
          };
          const { signal } = context.mcpReq;
          const outcome = await backend.call(request, {
            signal,
            ...(report === undefined ? {} : { onProgress: report.onProgress }),
          });
          return naming.result(renderOutput(withProgress(outcome, tool, followed)));
        } catch (error) {
          // Errors thrown here are cancellations or an unavailable backend, not outcomes of the tool.
          return renderOutput(toFailedOutcome(error, audienceFor(principal)));
        } finally {
          report?.stop();
        }
      });
    }
    resources(server, principal);
    if (definitions.some(({ tool }) => CITING_TOOLS.has(tool.name))) {
      registerSourceApp(server, naming.name('get_file_content'));
    }
    prompts(server, principal);
    skill(server);
    return server;
  };
}

function registerSourceApp(server: McpServer, readTool: string): void {
  const about = { title: 'Cited source', description: 'Shows the cited page with the exact passage marked.' };
  server.registerResource('source-app', SOURCE_APP_URI, { ...about, mimeType: APP_MIME_TYPE }, async () => ({
    contents: [{ uri: SOURCE_APP_URI, mimeType: APP_MIME_TYPE, text: sourceApp(readTool), _meta: { ui: {} } }],
  }));
}

/** Adds a note that ingestion is still in progress. */
function withProgress(outcome: ToolOutcome, tool: Tool, followed: readonly FollowedFolder[]): ToolOutcome {
  const reading = followed.filter(({ state }) => state === 'reading');
  if (outcome.isError || reading.length === 0 || !tool.annotations.readOnly || tool.needs.includes('facts')) {
    return outcome;
  }
  const folders = reading.map(describeFolder).join('; ');
  // The tool has already said so for an empty corpus.
  if (outcome.output.text.includes(folders)) return outcome;
  const note = `Ingestion is in progress, so more may be found soon: ${folders}.`;
  return { ...outcome, output: { ...outcome.output, text: `${outcome.output.text}\n\n${note}` } };
}

function toConfig(
  { name, title, description, inputSchema, outputSchema, annotations }: Tool,
  words: (text: string) => string,
) {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  return {
    title,
    description: words(description),
    inputSchema: advertised(inputSchema, 'input'),
    ...(outputSchema === null ? {} : { outputSchema: advertised(outputSchema, 'output') }),
    ...(CITING_TOOLS.has(name) && { _meta: { ui: { resourceUri: SOURCE_APP_URI } } }),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
}
