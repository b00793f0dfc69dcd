import type { WebSettings } from './web-settings.ts';

/** What is set of the web, for people; no key and no address is in it. */
export interface WebFacts {
  /** In the order in which they are asked; empty means that the web is not searched. */
  readonly search: readonly string[];
  /** Program that renders pages; null means that pages are taken as they come. */
  readonly browser: string | null;
  /** Whether robots.txt is obeyed. */
  readonly robots: boolean;
  /** How many hosts or networks are opened beyond the public internet. */
  readonly opened: number;
}

export const webFacts = ({ engines, browser, obeysRobots, openHosts }: WebSettings): WebFacts => ({
  search: engines.map(({ name }) => name),
  browser: browser ?? null,
  robots: obeysRobots,
  opened: openHosts.length,
});

/** The facts in one line. */
export function describeWeb({ search, browser, robots, opened }: WebFacts): string {
  return [
    search.length === 0 ? 'no search service is set' : `search with ${search.join(', then ')}`,
    browser === null ? 'pages are not rendered (CITEWELL_BROWSER)' : `pages are rendered by ${browser}`,
    robots ? 'robots.txt is obeyed' : 'robots.txt is not obeyed (CITEWELL_OBEY_ROBOTS=false)',
    ...(opened === 0 ? [] : [`${opened} ${opened === 1 ? 'entry' : 'entries'} in CITEWELL_ALLOW_HOSTS`]),
  ].join('; ');
}
