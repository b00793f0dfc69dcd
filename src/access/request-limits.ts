import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { SharedCounters } from '../store/shared-counters.ts';
import type { UserStore } from '../store/user-records.ts';
import { createMinuteRates, createSharedMinuteRates } from './minute-rates.ts';
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
  /** Counts requests across servers; without it, they are counted in this process only. */
  readonly counters?: SharedCounters | undefined;
  readonly now?: () => number;
}

export function createRequestLimits({ defaults, store, counters, now = Date.now }: RequestLimitsParts): RequestLimits {
  const minutes = counters === undefined ? createMinuteRates(now) : createSharedMinuteRates(counters);
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
      const ofRoute = routeRate(overrides, route) ?? rates.routePerMinute;
      await minutes.admit(userId, route, { all: rates.globalPerMinute, route: ofRoute });
      if (rates.monthly === undefined) return;
      if ((await store.requestCounts.count(userId, month())) <= rates.monthly) return;
      const message = `Monthly rate limit exceeded: ${rates.monthly} requests per month. It is reset at the start of the next month.`;
      throw new ServiceError('rate_limited', message, { retryAfter: secondsToNextMonth(now()) });
    },
    defaults,
    ratesOf,
    async usage(userId) {
      const [{ total, routes }, thisMonth] = await Promise.all([
        minutes.usage(userId),
        store.requestCounts.of(userId, month()),
      ]);
      return { lastMinute: total, thisMonth, routes };
    },
  };
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
