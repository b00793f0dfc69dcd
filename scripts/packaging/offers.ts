import { offerFor } from '../../src/cli/offer-tools.ts';
import { createProgram } from '../../src/cli/program.ts';
import { toolsets } from '../../src/compose/toolsets.ts';
import { loadConfig } from '../../src/config.ts';
import { defaultToolsets, type ToolSelectionOptions } from '../../src/mcp/choose-tools.ts';
import type { Tool } from '../../src/toolbox/tool.ts';

// Derives the offered tools and flags from the code, so that nothing is stated twice.

/** Settings with which every tool is available. */
const everything = loadConfig({ env: { OPENAI_API_KEY: 'x', EXA_API_KEY: 'x' }, cwd: '/' });
const FOLDERS = ['/'];

/** The tools a client gets with these options if every requirement is met. */
export const offerOf = (options: ToolSelectionOptions): readonly Tool[] => offerFor(everything, options, FOLDERS).tools;

/** The tools a client gets without keys and folders. */
export const minOffer = (): readonly Tool[] => offerFor(loadConfig({ env: {}, cwd: '/' }), {}, []).tools;

export interface ToolRow {
  readonly tool: Tool;
  readonly toolsets: readonly string[];
}

/** All tools with their toolsets, in listing order. */
export function everyTool(): readonly ToolRow[] {
  const names = Object.keys(toolsets);
  return [...new Set(Object.values(toolsets).flat())].map((tool) => ({
    tool,
    toolsets: names.filter((name) => toolsets[name]?.includes(tool)),
  }));
}

export const isDefault = (toolset: string): boolean => defaultToolsets.includes(toolset);

export interface Flag {
  readonly flags: string;
  readonly description: string;
}

/** The options of `citewell mcp`. */
export function mcpFlags(): readonly Flag[] {
  const program = createProgram({ version: '', context: undefined as never, ended: () => {} });
  const options = program.commands.find((command) => command.name() === 'mcp')?.options ?? [];
  return options.map(({ flags, description }) => ({ flags, description }));
}
