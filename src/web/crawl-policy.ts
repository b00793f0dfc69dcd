import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { LruMap } from '../shared/lru-map.ts';
import { type PageFetcher, statusOf, USER_AGENT } from './page-fetcher.ts';
import { allowAll, allowNothing, type Robots, readRobots } from './robots.ts';

export interface CrawlPolicySettings {
  /** Whether robots.txt is read and obeyed. */
  readonly obeysRobots: boolean;
  /** Minimum milliseconds between two requests to one host. */
  readonly minGapMs: number;
}

export const defaultCrawlPolicy: CrawlPolicySettings = { obeysRobots: true, minGapMs: 500 };

/** Applies a site's robots.txt and a minimum delay between requests. */
export interface CrawlPolicy {
  /** Waits until the host may be requested again. Throws `forbidden` if robots.txt disallows it. For use as `admit`. */
  admit(url: URL, signal: AbortSignal): Promise<void>;
  robotsOf(url: URL, signal: AbortSignal): Promise<Robots>;
}

const ROBOTS_BYTES = 500_000;
const ROBOTS_TIMEOUT_MS = 8_000;
const CACHE_MS = 3_600_000;
const MAX_SITES = 1_000;
const MAX_DELAY_MS = 10_000;

export function createCrawlPolicy(fetcher: Pick<PageFetcher, 'fetch'>, settings: CrawlPolicySettings): CrawlPolicy {
  const sites = new LruMap<string, { readonly robots: Promise<Robots>; readonly at: number }>({ max: MAX_SITES });
  const hosts = new LruMap<string, { readonly turns: LimitFunction; lastAt: number }>({ max: MAX_SITES });

  const robotsOf = (url: URL): Promise<Robots> => {
    const known = sites.get(url.origin);
    if (known !== undefined && performance.now() - known.at < CACHE_MS) return known.robots;
    // Not cancelled by this caller's signal, because other callers wait for the same file.
    const robots = fetchRobots(fetcher, url.origin);
    sites.set(url.origin, { robots, at: performance.now() });
    return robots;
  };

  return {
    robotsOf,
    async admit(url, signal) {
      const robots = settings.obeysRobots ? await raceAbort(robotsOf(url), signal) : allowAll;
      if (!robots.allows(`${url.pathname}${url.search}`)) {
        throw new ServiceError('forbidden', `The robots.txt of ${url.host} asks programs not to read ${url.pathname}.`);
      }
      const minGapMs = Math.max(settings.minGapMs, Math.min((robots.delay ?? 0) * 1000, MAX_DELAY_MS));
      const host = hosts.get(url.host) ?? { turns: pLimit(1), lastAt: Number.NEGATIVE_INFINITY };
      hosts.set(url.host, host);
      // A caller that aborts while queued or waiting does not use up the host's turn.
      const waiting = host.turns(async () => {
        signal.throwIfAborted();
        const left = host.lastAt + minGapMs - performance.now();
        if (left > 0) await sleep(left, undefined, { signal });
        host.lastAt = performance.now();
      });
      await raceAbort(waiting, signal);
    },
  };
}

/** RFC 9309: a missing robots.txt allows everything; a server error while fetching it disallows everything. */
async function fetchRobots(fetcher: Pick<PageFetcher, 'fetch'>, origin: string): Promise<Robots> {
  try {
    const page = await fetcher.fetch(`${origin}/robots.txt`, {
      signal: new AbortController().signal,
      maxBytes: ROBOTS_BYTES,
      timeoutMs: ROBOTS_TIMEOUT_MS,
    });
    if (page === 'unchanged' || page.mediaType === 'text/html') return allowAll;
    return readRobots(new TextDecoder().decode(page.bytes), USER_AGENT);
  } catch (error) {
    return (statusOf(error) ?? 0) >= 500 ? allowNothing : allowAll;
  }
}
