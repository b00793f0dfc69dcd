import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { ServiceError } from '../errors.ts';
import { canonicalUrl, isOfDomain } from './canonical-url.ts';
import { plainSnippet } from './plain-snippet.ts';
import { askEngine } from './search/ask-engine.ts';
import type { EngineReply, EngineResult, SearchEngine } from './search/search-engine.ts';
import type { WebQuery, WebResult, WebSearch, WebSearchOutcome } from './web-search.ts';

export interface WebSearchParts {
  /** First choice first; never empty. */
  readonly engines: readonly SearchEngine[];
  /** Milliseconds one engine may take before the next is asked. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 8_000;
/** Milliseconds for which an engine that failed is asked last. */
const COOLDOWN_MS = 60_000;
const MAX_SNIPPET_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 300;

export interface ClosableWebSearch extends WebSearch {
  close(): Promise<void>;
}

/**
 * Search through the first engine that answers. One that fails gives way to the next and rests for a while; an answer of
 * nothing is an answer. Filters are applied once more to what comes back, as not every engine keeps to them.
 */
export function createWebSearch({ engines, timeoutMs = TIMEOUT_MS }: WebSearchParts): ClosableWebSearch {
  // Whoever set the address of an engine meant it, so it may be on this machine.
  const dispatcher = new Agent({ connect: { timeout: timeoutMs }, keepAliveTimeout: 4_000 });
  const coolingUntil = new Map<string, number>();
  return {
    engines: engines.map(({ name }) => name),
    async search(query, signal) {
      const failures: ServiceError[] = [];
      for (const engine of inOrderOfUse(engines, coolingUntil)) {
        try {
          const reply = await askEngine(engine, query, { dispatcher, timeoutMs, signal });
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
    close: () => dispatcher.destroy(),
  };
}

function inOrderOfUse(engines: readonly SearchEngine[], coolingUntil: ReadonlyMap<string, number>): readonly SearchEngine[] {
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

/** Of two addresses of one page the first stays. */
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
