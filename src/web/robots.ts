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

// The package's types declare a default export, but the module itself is the function.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** Placeholder host, because robots.txt rules apply to paths only. */
const SITE = 'http://site.invalid';
const MAX_LINES = 20_000;
const MAX_LINE = 2_000;

/** Limit on total wildcard pattern length times path length, to which matching time is proportional; about 0.1 s. */
const MAX_COMPARISONS = 20_000_000;

/** Parses the rules for `agent`, otherwise those for `*`. Paths that are too slow to match are disallowed. */
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
