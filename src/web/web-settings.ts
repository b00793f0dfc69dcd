import type { OpenHost } from './open-hosts.ts';
import { brave } from './search/brave.ts';
import { exa } from './search/exa.ts';
import type { SearchEngine } from './search/search-engine.ts';
import { searxng } from './search/searxng.ts';
import { serper } from './search/serper.ts';
import { tavily } from './search/tavily.ts';

/** In the order in which they are asked when no other is set: one's own first. */
export const engineNames = ['searxng', 'brave', 'serper', 'tavily', 'exa'] as const;
export type EngineName = (typeof engineNames)[number];

/** What of the web may be used, and how; see the variables of the same names. */
export interface WebSettings {
  /** Opened by the operator although not public. */
  readonly openHosts: readonly OpenHost[];
  readonly obeysRobots: boolean;
  /** Engines with their key or, for SearXNG, their address; in the order in which they are asked. */
  readonly engines: readonly { readonly name: EngineName; readonly access: string }[];
  /** Program of a Chromium that renders pages. */
  readonly browser?: string;
}

const adapters: Readonly<Record<EngineName, (access: string) => SearchEngine>> = {
  searxng,
  brave,
  serper,
  tavily,
  exa,
};

export const enginesOf = ({ engines }: WebSettings): SearchEngine[] =>
  engines.map(({ name, access }) => adapters[name](access));
