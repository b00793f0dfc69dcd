import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { SharedCounters } from '../store/shared-counters.ts';

/** Limits on requests a minute; undefined is unlimited. */
export interface MinuteLimits {
  readonly all: number | undefined;
  readonly route: number | undefined;
}

/** Requests of users in the last minute. */
export interface MinuteRates {
  /** Counts a request; throws `rate_limited` above a limit. */
  admit(userId: string, route: string, limits: MinuteLimits): Promise<void>;
  /** Requests in the last minute, in total and by route. */
  usage(userId: string): Promise<{ readonly total: number; readonly routes: Readonly<Record<string, number>> }>;
}

const MINUTE = 60_000;
/** Maximum number of users in memory; the least recently active is dropped first. */
const MAX_USERS = 10_000;
/** Maximum number of requests per minute remembered for a user without a limit. */
const MAX_REQUESTS = 1_000;
const GLOBAL = 'Global per-minute';
const PER_ROUTE = 'Per-route per-minute';

interface Counted {
  readonly route: string;
  readonly at: number;
}

/** Counts the requests of this process in a sliding window. */
export function createMinuteRates(now: () => number): MinuteRates {
  const minutes = new LruMap<string, readonly Counted[]>({ max: MAX_USERS });
  // If the clock is set back, counted requests lie in the future and would count until then.
  const recent = (userId: string) => (minutes.get(userId) ?? []).filter(({ at }) => at > now() - MINUTE && at <= now());
  const check = (counted: readonly Counted[], max: number | undefined, which: string) => {
    if (max === undefined || counted.length < max) return;
    // A slot is free once this request, the oldest of the last `max`, leaves the window.
    const freed = counted[counted.length - max]?.at ?? now();
    throw exceeded(which, max, freed + MINUTE - now());
  };
  return {
    // Counts before any await, so that concurrent requests cannot exceed the limits.
    async admit(userId, route, limits) {
      const counted = recent(userId);
      check(counted, limits.all, GLOBAL);
      check(
        counted.filter((each) => each.route === route),
        limits.route,
        PER_ROUTE,
      );
      minutes.set(userId, [...counted.slice(-MAX_REQUESTS), { route, at: now() }]);
    },
    async usage(userId) {
      const counted = recent(userId);
      const routes: Record<string, number> = {};
      for (const { route } of counted) routes[route] = (routes[route] ?? 0) + 1;
      return { total: counted.length, routes };
    },
  };
}

/** Counts the requests of all servers in fixed windows of a minute that begin with the first request. */
export function createSharedMinuteRates(counters: SharedCounters): MinuteRates {
  const count = async (name: string, max: number | undefined, which: string) => {
    const { count: counted, endsInMs } = await counters.add(name, MINUTE / 1000);
    if (max !== undefined && counted > max) throw exceeded(which, max, endsInMs);
  };
  const routePrefix = (userId: string) => `requests ${userId} `;
  return {
    async admit(userId, route, limits) {
      // The route is checked first, so that the requests it refuses do not count towards the global limit.
      await count(`${routePrefix(userId)}${route}`, limits.route, PER_ROUTE);
      await count(`requests ${userId}`, limits.all, GLOBAL);
    },
    async usage(userId) {
      const [total, routes] = await Promise.all([
        counters.get(`requests ${userId}`),
        counters.list(routePrefix(userId)).catch(() => new Map<string, number>()),
      ]);
      const prefix = routePrefix(userId).length;
      return { total, routes: Object.fromEntries([...routes].map(([name, each]) => [name.slice(prefix), each])) };
    },
  };
}

function exceeded(which: string, max: number, inMs: number): ServiceError {
  const retryAfter = Math.max(1, Math.ceil(inMs / 1000));
  const message = `${which} rate limit exceeded: ${max} requests a minute. Try again in ${retryAfter} s.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}
