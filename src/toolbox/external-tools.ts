import type { Tool } from './tool.ts';

/** Tools of external MCP servers. Their number changes at run time. */
export interface ExternalTools {
  /** Selectable names, for error messages: tool names, and `server__*` for all tools of a server. */
  readonly names: readonly string[];
  /** Whether a name can be selected; decided from the configuration without contacting a server. */
  covers(name: string): boolean;
  /**
   * Tools currently available. The first call connects to the servers and waits a limited time; slower servers are
   * included in later runs. Never throws.
   */
  offer(): Promise<readonly Tool[]>;
  /** One sentence per unavailable server or tool, with the reason. */
  problems(): readonly string[];
}

/** The tools selected by these names. */
export function selectExternalTools(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const isSelected = (tool: string, name: string) =>
    name === tool || (name.endsWith('__*') && tool.startsWith(name.slice(0, -1)));
  return tools.filter((tool) => names.some((name) => isSelected(tool.name, name)));
}

/** Adds tools, which are offered to the agent before the external ones. */
export const withTools = (external: ExternalTools, own: readonly Tool[]): ExternalTools => ({
  names: [...own.map(({ name }) => name), ...external.names],
  covers: (name) => own.some((tool) => tool.name === name) || external.covers(name),
  offer: async () => [...own, ...(await external.offer())],
  problems: () => external.problems(),
});
