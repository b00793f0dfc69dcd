import robotsParser from 'robots-parser';

/** What a site's robots.txt says to us (RFC 9309). */
export interface Robots {
  /** `path` is the path with its query. */
  allows(path: string): boolean;
  /** Seconds between two requests, where the site names them. */
  readonly delay?: number;
  readonly sitemaps: readonly string[];
}

export const allowAll: Robots = { allows: () => true, sitemaps: [] };
export const allowNothing: Robots = { allows: (path) => path === '/robots.txt', sitemaps: [] };

// The package's types name a default export where the module itself is the function.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** Any address will do: rules are about paths, and only paths are asked for. */
const SITE = 'http://site.invalid';
const MAX_LINES = 20_000;
const MAX_LINE = 2_000;

/** The rules for `agent`: those of its own groups, or where it has none, those for everybody. */
export function readRobots(text: string, agent: string): Robots {
  const lines = text.split(/\r\n?|\n/, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  const robots = parseRobots(`${SITE}/robots.txt`, lines.join('\n'));
  const delay = robots.getCrawlDelay(agent);
  return {
    allows: (path) => robots.isAllowed(`${SITE}${path}`, agent) ?? true,
    sitemaps: robots.getSitemaps(),
    ...(delay === undefined || Number.isNaN(delay) ? {} : { delay }),
  };
}
