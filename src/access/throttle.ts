import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';

export interface ThrottleSettings {
  /** How many times within `seconds`. */
  readonly times: number;
  readonly seconds: number;
  /** Names remembered at once; beyond, those that have been quiet longest are forgotten. */
  readonly names?: number;
}

/** Counts how often something is tried under a name, and refuses what is too often. */
export interface Throttle {
  /** Counts a try before it is made, so that many at once gain nothing. Throws `rate_limited`. */
  attempt(name: string): void;
  /** The last one was rightly tried: it alone is forgotten. */
  undo(name: string): void;
  /** Forgets all that was counted. */
  forgive(name: string): void;
}

const DEFAULT_NAMES = 10_000;

/** `now` in milliseconds, of a clock that nobody sets: setting back the time of day would prolong every lock. */
export function createThrottle(
  { times, seconds, names = DEFAULT_NAMES }: ThrottleSettings,
  now: () => number = () => performance.now(),
): Throttle {
  const tries = new LruMap<string, number[]>({ max: names });
  return {
    attempt(name) {
      const since = now() - seconds * 1000;
      const recent = (tries.get(name) ?? []).filter((time) => time > since);
      const [first] = recent;
      if (first !== undefined && recent.length >= times) {
        const retryAfter = Math.max(1, Math.ceil((first - since) / 1000));
        throw new ServiceError('rate_limited', `Too many attempts; try again in ${retryAfter} s.`, { retryAfter });
      }
      tries.set(name, [...recent, now()]);
    },
    undo(name) {
      const left = tries.get(name)?.slice(0, -1) ?? [];
      if (left.length > 0) tries.set(name, left);
      else tries.delete(name);
    },
    forgive(name) {
      tries.delete(name);
    },
  };
}
