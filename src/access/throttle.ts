import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { SharedCounters } from '../store/shared-counters.ts';

export interface ThrottleSettings {
  /** Allowed attempts per `seconds`. */
  readonly times: number;
  readonly seconds: number;
  /** Maximum number of names in memory; the one idle longest is dropped first. */
  readonly names?: number;
}

/** Rate limiter by name. */
export interface Throttle {
  /** Counts an attempt before it is made, so that concurrent ones gain nothing. Throws `rate_limited`. */
  attempt(name: string): Promise<void>;
  /** Removes the last attempt, which succeeded. */
  undo(name: string): Promise<void>;
  /** Removes all attempts. */
  forgive(name: string): Promise<void>;
}

const DEFAULT_NAMES = 10_000;

/** Of this process, in a sliding window. `now` is a monotonic clock in milliseconds: setting the system time back must not prolong a lock. */
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
    async forgive(name) {
      tries.delete(name);
    },
  };
}

/** Of all servers, in windows that begin with the first attempt. `kind` tells its names from those of others. */
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
  forgive: (name) => counters.forget(`${kind} ${name}`),
});

function tooMany(inMs: number): ServiceError {
  const retryAfter = Math.max(1, Math.ceil(inMs / 1000));
  return new ServiceError('rate_limited', `Too many attempts; try again in ${retryAfter} s.`, { retryAfter });
}

/** Makes throttles that count over all servers, where there are several. */
export const throttlesOver =
  (counters: SharedCounters | undefined) =>
  (kind: string, settings: ThrottleSettings): Throttle =>
    counters === undefined ? createThrottle(settings) : createSharedThrottle(kind, settings, counters);
