import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { errorMessage } from '../shared/error-message.ts';
import { LruMap } from '../shared/lru-map.ts';
import { type PageFetcher, statusOf, USER_AGENT } from './page-fetcher.ts';
import { allowAll, type Robots, readRobots } from './robots.ts';

export interface CrawlPolicySettings {
  /** Whether robots.txt is read and obeyed. */
  readonly obeysRobots: boolean;
  /** Minimum milliseconds between two requests to one host. */
  readonly minGapMs: number;
}

export const defaultCrawlPolicy: CrawlPolicySettings = { obeysRobots: true, minGapMs: 500 };

/** Applies a site's robots.txt and a minimum delay between requests. */
export interface CrawlPolicy {
  /**
   * Waits until the host may be requested again. Throws `forbidden` if robots.txt disallows the address,
   * `provider_failed` if the site has one that cannot be read. For use as `admit`.
   */
  admit(url: URL, signal: AbortSignal): Promise<void>;
  /** The addresses of sitemaps in robots.txt; none if it cannot be read. */
  sitemapsOf(url: URL, signal: AbortSignal): Promise<readonly string[]>;
}

const ROBOTS_BYTES = 5_000_000;
const ROBOTS_TIMEOUT_MS = 8_000;
const CACHE_MS = 3_600_000;
/** Afterwards, a robots.txt that could not be read is requested again. */
const RETRY_MS = 60_000;
const MAX_SITES = 1_000;
const MAX_DELAY_MS = 10_000;

/** `now` is a monotonic clock in milliseconds. */
export function createCrawlPolicy(
  fetcher: Pick<PageFetcher, 'fetch'>,
  settings: CrawlPolicySettings,
  now: () => number = () => performance.now(),
): CrawlPolicy {
  const sites = new LruMap<string, KnownSite>({ max: MAX_SITES });
  const hosts = new LruMap<string, { readonly turns: LimitFunction; lastAt: number }>({ max: MAX_SITES });

  function robotsOf({ origin }: URL, signal: AbortSignal): Promise<Robots | ServiceError> {
    const known = sites.get(origin);
    if (known !== undefined && now() < known.until) return raceAbort(known.robots, signal);
    // Not cancelled by this caller's signal, because other callers wait for the same file.
    const robots = fetchRobots(fetcher, origin);
    const site = { robots, until: Number.POSITIVE_INFINITY };
    sites.set(origin, site);
    void robots.then((read) => {
      site.until = now() + (read instanceof ServiceError ? RETRY_MS : CACHE_MS);
    });
    return raceAbort(robots, signal);
  }

  return {
    async sitemapsOf(url, signal) {
      const robots = await robotsOf(url, signal);
      return robots instanceof ServiceError ? [] : robots.sitemaps;
    },
    async admit(url, signal) {
      const robots = settings.obeysRobots ? await robotsOf(url, signal) : allowAll;
      if (robots instanceof ServiceError) throw robots;
      if (!robots.allows(`${url.pathname}${url.search}`)) {
        throw new ServiceError('forbidden', `The robots.txt of ${url.host} asks programs not to read ${url.pathname}.`);
      }
      const minGapMs = Math.max(settings.minGapMs, Math.min((robots.delay ?? 0) * 1000, MAX_DELAY_MS));
      const host = hosts.get(url.host) ?? { turns: pLimit(1), lastAt: Number.NEGATIVE_INFINITY };
      hosts.set(url.host, host);
      // A caller that aborts while queued or waiting does not use up the host's turn.
      const waiting = host.turns(async () => {
        signal.throwIfAborted();
        const left = host.lastAt + minGapMs - now();
        if (left > 0) await sleep(left, undefined, { signal });
        host.lastAt = now();
      });
      await raceAbort(waiting, signal);
    },
  };
}

interface KnownSite {
  readonly robots: Promise<Robots | ServiceError>;
  /** When it has to be requested again, in milliseconds of `now`. */
  until: number;
}

/**
 * By RFC 9309, 2.3.1, a site without a robots.txt may be read, and a site whose robots.txt cannot be had may not: then the
 * result is the error with which its pages are refused. Never rejects.
 */
async function fetchRobots(fetcher: Pick<PageFetcher, 'fetch'>, origin: string): Promise<Robots | ServiceError> {
  try {
    const page = await fetcher.fetch(`${origin}/robots.txt`, {
      signal: new AbortController().signal,
      maxBytes: ROBOTS_BYTES,
      timeoutMs: ROBOTS_TIMEOUT_MS,
    });
    if (page === 'unchanged' || page.mediaType === 'text/html') return allowAll;
    return readRobots(new TextDecoder().decode(page.bytes), USER_AGENT);
  } catch (error) {
    if (!isUnavailable(error)) return allowAll;
    return new ServiceError(
      'provider_failed',
      `The robots.txt of ${origin}, which says what programs may read, could not be read: ${errorMessage(error)} Try again later.`,
      { cause: error },
    );
  }
}

// An address that the rules of this server disallow is reported when the page itself is fetched.
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code === 'forbidden' || error.code === 'unsupported_type') return false;
  const status = statusOf(error);
  return status === undefined || status >= 500 || status === 429;
}
