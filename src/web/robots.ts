import robotsParser from 'robots-parser';

/** A site's robots.txt for our user agent (RFC 9309). */
export interface Robots {
  /** `path` includes the query. */
  allows(path: string): boolean;
  /** Crawl delay in seconds, if set. */
  readonly delay?: number;
  readonly sitemaps: readonly string[];
}

export const allowAll: Robots = { allows: () => true, sitemaps: [] };
export const allowNothing: Robots = { allows: (path) => path === '/robots.txt', sitemaps: [] };

// The package's types declare a default export, but the module itself is the function.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** Placeholder host: rules only concern paths. */
const SITE = 'http://site.invalid';
const MAX_LINES = 20_000;
const MAX_LINE = 2_000;

/** Patterns with wildcards are compared in time that grows with their length times that of the path: here, a tenth of a second. */
const MAX_COMPARISONS = 20_000_000;

/** The rules of the groups for `agent`, otherwise those for `*`. A path too long for a file of wildcards is not allowed. */
export function readRobots(text: string, agent: string): Robots {
  const lines = text.split(/\r\n?|\n/, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  const robots = parseRobots(`${SITE}/robots.txt`, lines.join('\n'));
  const delay = robots.getCrawlDelay(agent);
  const wildcards = lines.reduce((sum, line) => (/^\s*(?:dis)?allow\b.*\*/i.test(line) ? sum + line.length : sum), 0);
  return {
    allows: (path) => wildcards * path.length <= MAX_COMPARISONS && (robots.isAllowed(`${SITE}${path}`, agent) ?? true),
    sitemaps: robots.getSitemaps(),
    ...(delay === undefined || Number.isNaN(delay) ? {} : { delay }),
  };
}
