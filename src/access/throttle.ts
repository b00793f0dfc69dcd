import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';

export interface ThrottleSettings {
  /** Allowed attempts per `seconds`. */
  readonly times: number;
  readonly seconds: number;
  /** Maximum number of names in memory; the one idle longest is dropped first. */
  readonly names?: number;
}

/** Sliding-window rate limiter by name. */
export interface Throttle {
  /** Counts an attempt before it is made, so that concurrent ones gain nothing. Throws `rate_limited`. */
  attempt(name: string): void;
  /** Removes the last attempt, which succeeded. */
  undo(name: string): void;
  /** Removes all attempts. */
  forgive(name: string): void;
}

const DEFAULT_NAMES = 10_000;

/** `now` is a monotonic clock in milliseconds: setting the system time back must not prolong a lock. */
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
