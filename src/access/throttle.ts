import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { SharedCounters } from '../store/shared-counters.ts';

export interface ThrottleSettings {
  /** Allowed attempts per `seconds`. */
  readonly times: number;
  readonly seconds: number;
  /** Maximum number of names in memory; the least recently used is dropped first. */
  readonly names?: number;
}

/** Rate limiter by name. */
export interface Throttle {
  /**
   * Counts an attempt before it is made, so that concurrent attempts cannot exceed the limit. Throws `rate_limited`.
   */
  attempt(name: string): Promise<void>;
  /** Removes the last attempt, which succeeded. */
  undo(name: string): Promise<void>;
  /** Removes all attempts. */
  reset(name: string): Promise<void>;
}

const DEFAULT_NAMES = 10_000;

/**
 * Limits the attempts of this process in a sliding window. `now` is a monotonic clock in milliseconds, because setting
 * the system time back must not prolong a lock.
 */
export function createThrottle(
  { times, seconds, names = DEFAULT_NAMES }: ThrottleSettings,
  now: () => number = () => performance.now(),
): Throttle {
  const tries = new LruMap<string, number[]>({ max: names });
  return {
    async attempt(name) {
      const since = now() - seconds * 1000;
      const recent = (tries.get(name) ?? []).filter((time) => time > since);
      const [first] = recent;
      if (first !== undefined && recent.length >= times) {
        throw tooMany(first - since);
      }
      tries.set(name, [...recent, now()]);
    },
    async undo(name) {
      const left = tries.get(name)?.slice(0, -1) ?? [];
      if (left.length > 0) tries.set(name, left);
      else tries.delete(name);
    },
    async reset(name) {
      tries.delete(name);
    },
  };
}

/** Limits the attempts at all servers, in fixed windows that begin with the first. `kind` is a namespace for names. */
const createSharedThrottle = (
  kind: string,
  { times, seconds }: ThrottleSettings,
  counters: SharedCounters,
): Throttle => ({
  async attempt(name) {
    const { count, endsInMs } = await counters.add(`${kind} ${name}`, seconds);
    if (count > times) throw tooMany(endsInMs);
  },
  undo: (name) => counters.undo(`${kind} ${name}`, seconds),
  reset: (name) => counters.forget(`${kind} ${name}`),
});

function tooMany(inMs: number): ServiceError {
  const retryAfter = Math.max(1, Math.ceil(inMs / 1000));
  return new ServiceError('rate_limited', `Too many attempts; try again in ${retryAfter} s.`, { retryAfter });
}

/** Creates throttles that count across all servers if `counters` is given, and in this process otherwise. */
export const throttleFactory =
  (counters: SharedCounters | undefined) =>
  (kind: string, settings: ThrottleSettings): Throttle =>
    counters === undefined ? createThrottle(settings) : createSharedThrottle(kind, settings, counters);
