import { LruMap } from '../../../shared/lru-map.ts';
import type { CompiledFilter } from './compile-filter.ts';
import type { NearestPlan } from './nearest-chunks.ts';

export interface ExpectedPlan {
  readonly plan: NearestPlan;
  /** From `DirectReader`: the state of the data for which the plan was made; undefined if unknown. */
  readonly state: string | undefined;
}

/** Recent search plans by filter. The next search with the same filter can expect the same plan. */
export interface ExpectedPlans {
  of(filter: CompiledFilter): ExpectedPlan | undefined;
  remember(filter: CompiledFilter, expected: ExpectedPlan): void;
}

const MAX_CACHED_PLANS = 64;
/** Plans that name many chunks are not kept. */
const MAX_KEYS = 100;

export function expectedPlans(): ExpectedPlans {
  const plans = new LruMap<string, ExpectedPlan>({ max: MAX_CACHED_PLANS });
  return {
    of: (filter) => plans.get(JSON.stringify(filter)),
    remember(filter, expected) {
      const { plan } = expected;
      if (plan.pending.length + plan.past.length <= MAX_KEYS) plans.set(JSON.stringify(filter), expected);
    },
  };
}
