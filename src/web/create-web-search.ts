import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { ServiceError } from '../errors.ts';
import { canonicalUrl, isOfDomain } from './canonical-url.ts';
import { credentialsOf, noProxy, type ProxySettings, proxyFor } from './proxy.ts';
import { askEngine } from './search/ask-engine.ts';
import type { EngineReply, EngineResult, SearchEngine } from './search/search-engine.ts';
import type { WebQuery, WebResult, WebSearch, WebSearchOutcome } from './web-search.ts';

export interface WebSearchParts {
  /** In order of preference; never empty. */
  readonly engines: readonly SearchEngine[];
  /** Time limit per engine, in milliseconds, before the next one is tried. */
  readonly timeoutMs?: number;
  readonly proxy?: ProxySettings;
}

const TIMEOUT_MS = 8_000;
/** Milliseconds for which an engine is moved to the end of the order after a failure. */
const COOLDOWN_MS = 60_000;
const MAX_SNIPPET_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 300;

export interface ClosableWebSearch extends WebSearch {
  close(): Promise<void>;
}

/**
 * Searches with the first engine that answers. After a failure, the next engine is tried, and the failed one moves to
 * the end of the order for a while; an empty result counts as an answer. Domain filters are applied to the results
 * again, because not every engine respects them.
 */
export function createWebSearch({
  engines,
  timeoutMs = TIMEOUT_MS,
  proxy = noProxy,
}: WebSearchParts): ClosableWebSearch {
  // Engine addresses are configured by the operator, so they may be private, and a proxy may resolve their names.
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const dispatcherFor = (url: URL) => {
    // An engine without TLS is assumed to be in the operator's own network and is reached directly.
    const through = url.protocol === 'https:' ? proxyFor(url, proxy) : undefined;
    const key = through?.href ?? '';
    const open = dispatchers.get(key) ?? openDispatcher(through, timeoutMs);
    dispatchers.set(key, open);
    return open;
  };
  const coolingUntil = new Map<string, number>();
  return {
    engines: engines.map(({ name }) => name),
    async search(query, signal) {
      const failures: ServiceError[] = [];
      for (const engine of inOrderOfUse(engines, coolingUntil)) {
        try {
          const reply = await askEngine(engine, query, { dispatcherFor, timeoutMs, signal });
          coolingUntil.delete(engine.name);
          return toOutcome(engine.name, query, reply, failures);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ServiceError)) throw error;
          failures.push(error);
          coolingUntil.set(engine.name, performance.now() + (error.retryAfter ?? COOLDOWN_MS / 1000) * 1000);
        }
      }
      throw allFailed(failures);
    },
    async close() {
      await Promise.all([...dispatchers.values()].map(async (opening) => (await opening).destroy()));
    },
  };
}

/** Loads the HTTP client lazily, on the first search. */
async function openDispatcher(proxy: URL | undefined, timeoutMs: number): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici');
  const options = { connect: { timeout: timeoutMs }, keepAliveTimeout: 4_000 };
  if (proxy === undefined) return new Agent(options);
  const { 'proxy-authorization': token } = credentialsOf(proxy);
  return new ProxyAgent({ uri: proxy.href, ...(token !== undefined && { token }), ...options });
}

function inOrderOfUse(
  engines: readonly SearchEngine[],
  coolingUntil: ReadonlyMap<string, number>,
): readonly SearchEngine[] {
  const now = performance.now();
  const isCooling = ({ name }: SearchEngine) => (coolingUntil.get(name) ?? 0) > now;
  return [...engines.filter((engine) => !isCooling(engine)), ...engines.filter(isCooling)];
}

function allFailed(failures: readonly ServiceError[]): ServiceError {
  const [first] = failures;
  const code =
    first !== undefined && failures.every(({ code }) => code === first.code) ? first.code : 'provider_failed';
  const waits = failures.flatMap(({ retryAfter }) => retryAfter ?? []);
  return new ServiceError(
    code === 'unauthenticated' ? 'provider_failed' : code,
    `No search engine answers: ${failures.map(({ message }) => message).join(' ')}`,
    { cause: first, ...(waits.length > 0 && { retryAfter: Math.min(...waits) }) },
  );
}

function toOutcome(
  engine: string,
  query: WebQuery,
  reply: EngineReply,
  failures: readonly ServiceError[],
): WebSearchOutcome {
  const results = withoutDuplicates(reply.results.filter(({ url }) => matchesDomains(url, query)));
  return {
    query: query.text,
    engine,
    results: results.slice(0, query.limit).map(toResult),
    related: (reply.related ?? []).map(plainSnippet),
    questions: (reply.questions ?? []).map(({ question, snippet, title, url }) => ({
      question: plainSnippet(question),
      snippet: plainSnippet(snippet),
      title: plainSnippet(title),
      url,
    })),
    notes: [...failures.map(({ message }) => message), ...(reply.notes ?? [])],
  };
}

function matchesDomains(address: string, { includeDomains, excludeDomains }: WebQuery): boolean {
  const { protocol } = URL.parse(address) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const isIncluded = includeDomains.length === 0 || includeDomains.some((domain) => isOfDomain(address, domain));
  return isIncluded && !excludeDomains.some((domain) => isOfDomain(address, domain));
}

/** Removes results with the same canonical URL; keeps the first one. */
function withoutDuplicates(results: readonly EngineResult[]): EngineResult[] {
  const seen = new Set<string>();
  return results.filter(({ url }) => {
    const key = canonicalUrl(url);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function toResult({ title, url, snippet, date, sitelinks, score }: EngineResult, index: number): WebResult {
  const { href, host } = new URL(url);
  return {
    id: createHash('sha256').update(canonicalUrl(url)).digest('hex').slice(0, 32),
    title: plainSnippet(title).slice(0, MAX_TITLE_LENGTH) || host,
    url: href,
    snippet: plainSnippet(snippet).slice(0, MAX_SNIPPET_LENGTH),
    position: index + 1,
    date: date === undefined || date.trim() === '' ? null : plainSnippet(date),
    sitelinks: sitelinks ?? [],
    ...(score === undefined ? {} : { score }),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
};

/** The text of a snippet without the HTML highlighting and line breaks of the search engine. */
const plainSnippet = (text: string): string =>
  text
    .replaceAll(/<\/?(?:strong|b|em|i|mark|span|br|p)\b[^<>]{0,200}>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return ENTITIES[String(name).toLowerCase()] ?? whole;
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed();
