import type { Tool } from './tool.ts';

/** Tools of other servers, which come and go without anybody here deciding it. */
export interface ExternalTools {
  /** What may be asked for by name, for complaints: names of tools, and `server__*` for all that a server has. */
  readonly names: readonly string[];
  /** Whether a name is one that may be asked for; judged by the settings, without asking anybody. */
  covers(name: string): boolean;
  /**
   * Those there are now. The first time this connects to the servers and waits a moment for them; what is not there by
   * then comes with a later run. Never throws.
   */
  offer(): Promise<readonly Tool[]>;
  /** Which servers and tools are not there and why, a sentence each. */
  problems(): readonly string[];
}

/** Those of the tools that the names ask for. */
export function askedFor(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const isAsked = (tool: string, name: string) =>
    name === tool || (name.endsWith('__*') && tool.startsWith(name.slice(0, -1)));
  return tools.filter((tool) => names.some((name) => isAsked(tool.name, name)));
}
