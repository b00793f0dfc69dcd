/** What a site's robots.txt says to us (RFC 9309). */
export interface Robots {
  /** `path` is the path with its query. */
  allows(path: string): boolean;
  /** Seconds between two requests, where the site names them. */
  readonly delay?: number;
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly allow: boolean;
  readonly matches: (path: string) => boolean;
  readonly length: number;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delay?: number;
}

export const allowAll: Robots = { allows: () => true, sitemaps: [] };
export const allowNothing: Robots = { allows: (path) => path === '/robots.txt', sitemaps: [] };

const MOST_LINES = 20_000;
const LONGEST_PATTERN = 2_000;

/** The rules for `agent`: those of its own groups, or where it has none, those for everybody. */
export function readRobots(text: string, agent: string): Robots {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let open: Group | undefined;
  let isNamingAgents = false;
  for (const line of text.split(/\r\n?|\n/, MOST_LINES)) {
    const [, field = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    const given = value.trim();
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!isNamingAgents || open === undefined) {
        open = { agents: [], rules: [] };
        groups.push(open);
      }
      open.agents.push(given.toLowerCase());
      isNamingAgents = true;
      continue;
    }
    if (name === 'sitemap') {
      if (given !== '') sitemaps.push(given);
      continue;
    }
    if (name === '') continue;
    isNamingAgents = false;
    if (open === undefined) continue;
    if ((name === 'allow' || name === 'disallow') && given !== '') open.rules.push(toRule(name === 'allow', given));
    if (name === 'crawl-delay' && /^\d{1,4}(?:\.\d{1,3})?$/.test(given)) open.delay = Number(given);
  }
  const own = groups.filter(({ agents }) =>
    agents.some((named) => named !== '*' && agent.toLowerCase().startsWith(named) && named !== ''),
  );
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules);
  const delay = chosen.find((group) => group.delay !== undefined)?.delay;
  return {
    allows(path) {
      const matching = rules.filter(({ matches }) => matches(path));
      // The longest rule decides, and of two as long the one that allows.
      const [best] = matching.toSorted((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
      return best?.allow ?? true;
    },
    sitemaps,
    ...(delay === undefined ? {} : { delay }),
  };
}

function toRule(allow: boolean, given: string): Rule {
  const path = given.slice(0, LONGEST_PATTERN);
  return { allow, matches: globMatcher(path), length: path.length };
}

/** Piece by piece and without an expression, so that no pattern can be slow. */
function globMatcher(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.endsWith('$');
  const [start = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const end = isAnchored ? pieces.pop() : undefined;
  return (path) => {
    if (!path.startsWith(start)) return false;
    let at = start.length;
    for (const piece of pieces) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    if (!isAnchored) return true;
    return end === undefined ? path.length === at : path.length - end.length >= at && path.endsWith(end);
  };
}
