import { proxyHost } from './proxy.ts';
import type { WebSettings } from './web-settings.ts';

/** The web settings, for display; contains neither keys nor addresses. */
export interface WebFacts {
  /** Search engines in order of preference; empty if web search is off. */
  readonly search: readonly string[];
  /** Executable of the browser that renders pages; null if pages are not rendered. */
  readonly browser: string | null;
  /** Whether robots.txt is obeyed. */
  readonly robots: boolean;
  /** Number of hosts or networks allowed beyond the public internet. */
  readonly opened: number;
  /** Host of the proxy for https pages, or of the one for http pages if there is no other. */
  readonly proxy?: string | undefined;
}

export const webFacts = ({ engines, browser, obeysRobots, openHosts, proxy }: WebSettings): WebFacts => ({
  search: engines.map(({ name }) => name),
  browser: browser ?? null,
  robots: obeysRobots,
  opened: openHosts.length,
  ...(proxy && { proxy: proxyHost(proxy) }),
});

/** The facts on one line. */
export function describeWeb({ search, browser, robots, opened, proxy }: WebFacts): string {
  return [
    search.length === 0 ? 'no search service is set' : `search with ${search.join(', then ')}`,
    browser === null ? 'pages are not rendered (CITEWELL_BROWSER)' : `pages are rendered by ${browser}`,
    robots ? 'robots.txt is obeyed' : 'robots.txt is not obeyed (CITEWELL_OBEY_ROBOTS=false)',
    ...(opened === 0 ? [] : [`${opened} ${opened === 1 ? 'entry' : 'entries'} in CITEWELL_ALLOW_HOSTS`]),
    ...(proxy === undefined ? [] : [`through the proxy ${proxy}`]),
  ].join('; ');
}
