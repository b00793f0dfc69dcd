import type { OpenHost } from './open-hosts.ts';
import type { ProxySettings } from './proxy.ts';
import { brave } from './search/brave.ts';
import { exa } from './search/exa.ts';
import type { SearchEngine } from './search/search-engine.ts';
import { searxng } from './search/searxng.ts';
import { serper } from './search/serper.ts';
import { tavily } from './search/tavily.ts';

/** Default order of preference: the self-hosted engine first. */
export const engineNames = ['searxng', 'brave', 'serper', 'tavily', 'exa'] as const;
export type EngineName = (typeof engineNames)[number];

/** Web settings; see the environment variables of the same names. */
export interface WebSettings {
  /** Non-public hosts that the operator allows. */
  readonly openHosts: readonly OpenHost[];
  readonly obeysRobots: boolean;
  /** Engines with their key (for SearXNG: their address), in order of preference. */
  readonly engines: readonly { readonly name: EngineName; readonly access: string }[];
  /** Executable of the Chromium that renders pages. */
  readonly browser?: string;
  /** Used for pages and search services. */
  readonly proxy?: ProxySettings;
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
