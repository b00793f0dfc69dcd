import { toolsets } from '../compose/toolsets.ts';
import type { Config } from '../config.ts';
import { chooseTools, type ToolOffer, type ToolSelectionOptions } from '../mcp/choose-tools.ts';
import type { ConnectionOptions } from '../mcp/http.ts';
import { defaultModelName, EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { sandboxAbsence } from '../sandbox/sandbox-settings.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';

/**
 * The tools of one HTTP connection. A client may leave out tools and request additional read-only ones. It gets tools
 * that change something only if the server offers them by default, and nothing beyond toolsets that the operator named.
 */
export function connectionOffers(
  config: Config,
  usual: ToolOffer,
  folders: readonly string[],
): (options: ConnectionOptions) => ToolOffer {
  const offers = new Map<string, ToolOffer>();
  return ({ toolsets: requested, readOnly }) => {
    const key = JSON.stringify([requested === undefined ? null : [...new Set(requested)].toSorted(), readOnly]);
    const known = offers.get(key);
    if (known !== undefined) return known;
    const wanted = requested === undefined ? usual : offerFor(config, { toolsets: requested }, folders);
    const mayHave = (tool: Tool) =>
      usual.tools.includes(tool) || (config.mcpToolsets === undefined && tool.annotations.readOnly);
    const tools = wanted.tools.filter((tool) => mayHave(tool) && !(readOnly && !tool.annotations.readOnly));
    const removed = [...new Set([...usual.tools, ...wanted.tools])].filter((tool) => !tools.includes(tool));
    const offer = {
      tools,
      absent: [
        ...wanted.absent.filter(({ name }) => !removed.some((tool) => tool.name === name)),
        ...removed.map(({ name }) => ({
          name,
          reason: 'This connection left it out, or the server does not offer it.',
        })),
      ],
    };
    offers.set(key, offer);
    return offer;
  };
}

/**
 * The tools selected by the options, which take precedence over the settings. `serving` are the settings of the process
 * that runs the tools, if it is another one: what either process can do is offered.
 */
export function offerFor(
  config: Config,
  options: ToolSelectionOptions,
  folders: readonly string[],
  serving?: Config,
): ToolOffer {
  const needs = metNeeds(config, folders);
  return chooseTools(
    toolsets,
    { ...options, toolsets: options.toolsets ?? config.mcpToolsets },
    serving === undefined ? needs : needs.union(metNeeds(serving, folders)),
  );
}

/** The needs that the settings meet, determined without loading anything. */
function metNeeds(config: Config, folders: readonly string[]): Set<ToolNeed> {
  const needs = new Set<ToolNeed>(['answerer', 'checker', 'ingestion', 'facts', 'web_pages']);
  if (config.web.engines.length > 0) needs.add('web_search');
  if (hasModel(config)) needs.add('reasoner').add('research');
  if (folders.length > 0) needs.add('folders');
  if (sandboxAbsence(config.sandbox) === undefined) needs.add('sandbox');
  return needs;
}

// Without a configured model, only providers with a default model count; other servers require a model's name.
function hasModel({ models, openai, anthropic }: Config): boolean {
  const configured = [
    ...(openai.apiKey === undefined && openai.baseUrl === undefined ? [] : ['openai']),
    ...(anthropic.apiKey === undefined && anthropic.baseUrl === undefined ? [] : ['anthropic']),
  ];
  return defaultModelName('reasoning', models, configured) !== EXTRACTIVE_MODEL;
}
