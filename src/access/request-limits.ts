import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { UserStore } from '../store/user-records.ts';
import type { Principal } from './principal.ts';

/** Limits on requests of one user; undefined is unlimited. */
export interface RequestRates {
  readonly globalPerMinute?: number | undefined;
  readonly routePerMinute?: number | undefined;
  readonly monthly?: number | undefined;
}

export interface RequestUsage {
  readonly lastMinute: number;
  readonly thisMonth: number;
  readonly routes: Readonly<Record<string, number>>;
}

/** Request rate limits (docs/contract.md 2); superusers are exempt. */
export interface RequestLimits {
  /** Counts the request. Throws `rate_limited` naming the limit. */
  admit(principal: Principal, route: string): Promise<void>;
  readonly defaults: RequestRates;
  /** The defaults with the user's overrides. */
  ratesOf(overrides: Metadata | null): RequestRates;
  usage(userId: string): Promise<RequestUsage>;
}

export interface RequestLimitsParts {
  readonly defaults: RequestRates;
  readonly store: Pick<UserStore, 'users' | 'requestCounts'>;
  readonly now?: () => number;
}

const MINUTE = 60_000;
/** Maximum number of users in memory; the one that was idle longest is dropped. */
const MAX_USERS = 10_000;
/** Maximum number of requests per minute remembered for a user without a limit. */
const MAX_REQUESTS = 1_000;

interface Counted {
  readonly route: string;
  readonly at: number;
}

export function createRequestLimits({ defaults, store, now = Date.now }: RequestLimitsParts): RequestLimits {
  const minutes = new LruMap<string, readonly Counted[]>({ max: MAX_USERS });
  // If the clock is set back, counted requests lie in the future and would count until then.
  const recent = (userId: string) => (minutes.get(userId) ?? []).filter(({ at }) => at > now() - MINUTE && at <= now());
  const month = () => new Date(now()).toISOString().slice(0, 7);

  const ratesOf = (overrides: Metadata | null): RequestRates => ({
    globalPerMinute: numberIn(overrides, 'global_per_min') ?? defaults.globalPerMinute,
    routePerMinute: numberIn(overrides, 'route_per_min') ?? defaults.routePerMinute,
    monthly: numberIn(overrides, 'monthly_limit') ?? defaults.monthly,
  });

  return {
    async admit({ userId, isSuperuser }, route) {
      if (isSuperuser) return;
      const overrides = (await store.users.get(userId))?.limitsOverrides ?? null;
      const rates = ratesOf(overrides);
      if (Object.values(rates).every((rate) => rate === undefined) && overrides === null) return;
      const counted = recent(userId);
      checkMinute(counted, rates.globalPerMinute, 'Global per-minute', now());
      const own = routeRate(overrides, route) ?? rates.routePerMinute;
      checkMinute(
        counted.filter((each) => each.route === route),
        own,
        'Per-route per-minute',
        now(),
      );
      // Counted before any await, so that concurrent requests count like sequential ones.
      minutes.set(userId, [...counted.slice(-MAX_REQUESTS), { route, at: now() }]);
      if (rates.monthly === undefined) return;
      if ((await store.requestCounts.count(userId, month())) <= rates.monthly) return;
      const message = `Monthly rate limit exceeded: ${rates.monthly} requests per month. It is reset at the start of the next month.`;
      throw new ServiceError('rate_limited', message, { retryAfter: secondsToNextMonth(now()) });
    },
    defaults,
    ratesOf,
    async usage(userId) {
      const routes: Record<string, number> = {};
      const counted = recent(userId);
      for (const { route } of counted) routes[route] = (routes[route] ?? 0) + 1;
      return { lastMinute: counted.length, thisMonth: await store.requestCounts.of(userId, month()), routes };
    },
  };
}

function checkMinute(counted: readonly Counted[], most: number | undefined, which: string, now: number): void {
  if (most === undefined || counted.length < most) return;
  // The time at which enough of them are older than a minute.
  const freed = counted[counted.length - most]?.at ?? now;
  const retryAfter = Math.max(1, Math.ceil((freed + MINUTE - now) / 1000));
  const message = `${which} rate limit exceeded: ${most} requests a minute. Try again in ${retryAfter} s.`;
  throw new ServiceError('rate_limited', message, { retryAfter });
}

/** A numeric limit from a user's overrides; other values count as absent. */
export function numberIn(overrides: Metadata | null, name: string): number | undefined {
  const value = overrides?.[name];
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** `route_overrides: {"POST /v3/retrieval/rag": {"route_per_min": 5}}`; the method is optional. */
function routeRate(overrides: Metadata | null, route: string): number | undefined {
  const routes = overrides?.['route_overrides'];
  if (typeof routes !== 'object' || routes === null || Array.isArray(routes)) return undefined;
  const own = (routes as Metadata)[route] ?? (routes as Metadata)[route.slice(route.indexOf(' ') + 1)];
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return undefined;
  return numberIn(own as Metadata, 'route_per_min');
}

function secondsToNextMonth(now: number): number {
  const date = new Date(now);
  return Math.ceil((Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - now) / 1000);
}
