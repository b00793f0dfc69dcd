import { offerFor } from '../../src/cli/offer-tools.ts';
import { createProgram } from '../../src/cli/program.ts';
import { toolsets } from '../../src/compose/toolsets.ts';
import { loadConfig } from '../../src/config.ts';
import { defaultToolsets, type ToolSelectionOptions } from '../../src/mcp/choose-tools.ts';
import type { Tool } from '../../src/toolbox/tool.ts';

// What the code itself says there is; nothing is written down twice.

/** Settings under which every tool is there. */
const everything = loadConfig({ env: { OPENAI_API_KEY: 'x', EXA_API_KEY: 'x' }, cwd: '/' });
const FOLDERS = ['/'];

/** The tools that a client gets for these wishes when nothing is missing. */
export const offerOf = (options: ToolSelectionOptions): readonly Tool[] => offerFor(everything, options, FOLDERS).tools;

/** The tools that a client gets where no key and no folder is set. */
export const minOffer = (): readonly Tool[] => offerFor(loadConfig({ env: {}, cwd: '/' }), {}, []).tools;

export interface ToolRow {
  readonly tool: Tool;
  readonly toolsets: readonly string[];
}

/** Every tool with the toolsets that hold it, in the order they are listed in. */
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
