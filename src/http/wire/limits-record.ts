import { z } from 'zod';
import type { Accounts } from '../../access/accounts.ts';
import { quotaKinds } from '../../access/quotas.ts';
import type { RequestRates } from '../../access/request-limits.ts';
import type { User } from '../../store/user-records.ts';
import { metadata } from './record-parts.ts';

const limitShare = z.object({ limit: z.number().nullable(), used: z.number(), remaining: z.number().nullable() });

const rateLimits = z.object({
  global_per_min: z.number().nullable(),
  route_per_min: z.number().nullable(),
  monthly_limit: z.number().nullable(),
});

/** Null means no limit. */
export const limitsRecord = z
  .object({
    storage_limits: z.record(z.string(), limitShare),
    system_defaults: rateLimits,
    user_overrides: metadata,
    effective_limits: rateLimits,
    usage: z.object({
      global_per_min: limitShare,
      monthly_limit: limitShare,
      routes: z.record(z.string(), limitShare),
    }),
  })
  .meta({ id: 'Limits' });

/** A user's limits and usage (docs/contract.md 2); null means no limit. */
export async function toLimitsRecord(
  { id, isSuperuser, limitsOverrides }: User,
  { limits, quotas }: Pick<Accounts, 'limits' | 'quotas'>,
) {
  const [used, usage] = await Promise.all([quotas.used(id), limits.usage(id)]);
  const sizes = isSuperuser ? {} : quotas.sizesOf(limitsOverrides);
  const rates = isSuperuser ? {} : limits.ratesOf(limitsOverrides);
  return {
    storage_limits: Object.fromEntries(quotaKinds.map((kind) => [kind, share(used[kind], sizes[kind])])),
    system_defaults: toRates(limits.defaults),
    user_overrides: limitsOverrides ?? {},
    effective_limits: toRates(rates),
    usage: {
      global_per_min: share(usage.lastMinute, rates.globalPerMinute),
      monthly_limit: share(usage.thisMonth, rates.monthly),
      routes: Object.fromEntries(
        Object.entries(usage.routes).map(([route, count]) => [route, share(count, rates.routePerMinute)]),
      ),
    },
  };
}

const toRates = ({ globalPerMinute, routePerMinute, monthly }: RequestRates) => ({
  global_per_min: globalPerMinute ?? null,
  route_per_min: routePerMinute ?? null,
  monthly_limit: monthly ?? null,
});

const share = (used: number, limit: number | undefined) => ({
  limit: limit ?? null,
  used,
  remaining: limit === undefined ? null : Math.max(0, limit - used),
});
