import { LruMap } from '../shared/lru-map.ts';
import type { SharedCounters } from '../store/shared-counters.ts';

/** Remembers clients that have logged in. */
export interface KnownClients {
  has(name: string): Promise<boolean>;
  add(name: string): Promise<void>;
}

/** Maximum number of clients in memory; the least recently used is dropped first. */
const MAX_CLIENTS = 10_000;
const WEEK = 7 * 86_400;

export function createKnownClients(counters: SharedCounters | undefined): KnownClients {
  const known = new LruMap<string, true>({ max: MAX_CLIENTS });
  return {
    has: async (name) => known.has(name) || ((await counters?.get(`client ${name}`)) ?? 0) > 0,
    async add(name) {
      known.set(name, true);
      await counters?.add(`client ${name}`, WEEK);
    },
  };
}
