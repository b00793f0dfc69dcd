import type { Config } from '../config.ts';
import { chooseTools, type ToolOffer, type ToolWishes } from '../mcp/choose-tools.ts';
import { metNeeds, toolsets, unbuiltTools } from '../services/tool-catalogue.ts';

/** The tools for these options over the settings. */
export function offerFor(config: Config, wishes: ToolWishes, folders: readonly string[]): ToolOffer {
  return chooseTools(
    { toolsets, unbuilt: unbuiltTools },
    { ...wishes, toolsets: wishes.toolsets ?? config.mcpToolsets },
    metNeeds(config, folders),
  );
}
